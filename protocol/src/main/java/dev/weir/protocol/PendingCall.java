package dev.weir.protocol;

/** A call on its way. */
public interface PendingCall {
  /**
   * Stops waiting: the handler is not called any more and a late answer is dropped. The node is not
   * told; cancel the task there for that.
   *
   * @return whether it was still pending
   */
  boolean forget();
}
