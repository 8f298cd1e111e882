package dev.weir.protocol;

/**
 * Which of a node's channels a call takes, so that one kind of traffic does not wait behind
 * another.
 */
public enum ChannelKind {
  /** Searches, gets and everything small and urgent. One channel for each (node, event loop). */
  READ,
  /** Writes with large bodies. */
  BULK,
  /** Cluster state, node info, task cancellation, handshakes. */
  CONTROL
}
