package dev.weir.protocol;

/** A call without a response yet. */
public interface PendingCall {
  /**
   * Stops waiting: the handler is not called, and a late response is dropped. The node continues;
   * cancel its task to stop it.
   *
   * @return true if the call was still pending
   */
  boolean abandon();

  /**
   * Returns true if the call was written to a connection, so that its node may receive it. Until
   * then it waits for one, and its payload must stay unchanged unless the call is abandoned. Safe
   * on any thread; on a thread other than the call's event loop, the result may briefly lag behind.
   */
  default boolean isWritten() {
    return false;
  }
}
