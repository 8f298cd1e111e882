package dev.weir.protocol;

/**
 * A kind of channel to a node. Each kind of traffic has its own channels, so that none waits behind
 * another.
 */
public enum ChannelKind {
  /** Searches, gets, and everything small and urgent. One channel for each (node, event loop). */
  READ,
  /** Writes with large bodies. */
  BULK,
  /** Cluster state, node info, task cancellation, handshakes. */
  CONTROL
}
