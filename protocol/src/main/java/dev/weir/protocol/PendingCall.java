package dev.weir.protocol;

/** A call on its way. */
public interface PendingCall {
  /**
   * Stops waiting: the handler is not called any more and a late answer is dropped. The node is not
   * told; cancel the task there for that.
   *
   * @return whether it was still pending
   */
  boolean abandon();

  /**
   * Whether it was written to a connection, so that its node may get it and answer. Until then it
   * waits for one, and what it is made of must stay as it is, or it must be forgotten. Safe on any
   * thread; says no for a moment longer where the call has another loop than who asks.
   */
  default boolean isWritten() {
    return false;
  }
}
