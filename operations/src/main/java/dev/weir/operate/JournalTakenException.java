package dev.weir.operate;

/** Another command has written or removed the journal of an operation. */
final class JournalTakenException extends OperationException {
  private static final long serialVersionUID = 1L;

  JournalTakenException(String message) {
    super(message);
  }
}
