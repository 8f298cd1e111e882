package dev.weir.node;

/** A failure that no node can send to another. */
public final class UnwritableException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  @Override
  public String getMessage() {
    throw new IllegalStateException("no message, on purpose");
  }
}
