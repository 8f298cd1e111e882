package dev.weir.operate;

/** An operation, or a step of it, did not succeed. The message says what to do. */
public sealed class OperationException extends Exception permits JournalTakenException {
  private static final long serialVersionUID = 1L;

  public OperationException(String message) {
    super(message);
  }

  public OperationException(String message, Throwable cause) {
    super(message, cause);
  }
}
