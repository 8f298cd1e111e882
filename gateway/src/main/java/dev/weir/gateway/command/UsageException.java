package dev.weir.gateway.command;

/** The command line or the configuration is invalid; the message says what is expected. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }

  UsageException(String message, Exception cause) {
    super(message, cause);
  }

  /** Takes the message of another exception. */
  public UsageException(Exception cause) {
    super(String.valueOf(cause.getMessage()), cause);
  }
}
