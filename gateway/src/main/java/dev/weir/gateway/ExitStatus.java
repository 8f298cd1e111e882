package dev.weir.gateway;

/** The exit statuses of the command line. */
final class ExitStatus {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE_ERROR = 2;

  /** The compared configurations differ in a key that takes effect at the next start. */
  static final int NEEDS_RESTART = 3;

  /** Advice has findings of the severity problem. */
  static final int HAS_PROBLEMS = 3;

  private ExitStatus() {}
}
