package dev.weir.gateway.command;

/** The exit statuses of the command line. */
public final class ExitStatus {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int USAGE_ERROR = 2;

  /** The compared configurations differ in a key that takes effect at the next start. */
  public static final int NEEDS_RESTART = 3;

  /** Advice has findings of the severity problem. */
  public static final int HAS_PROBLEMS = 3;

  private ExitStatus() {}
}
