package dev.weir.core.coordinate.batch;

/** The message that has the calls of a batch. Confined to the event loop of its request. */
interface BatchMessage {
  /** Returns the id of the node that it goes to. */
  String nodeId();

  /** Returns whether it was written to a connection. */
  boolean isWritten();

  /** Hears that nobody waits for one of the calls, and forgets the message if that was the last. */
  void onAbandoned();
}
