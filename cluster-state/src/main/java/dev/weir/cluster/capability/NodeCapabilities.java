package dev.weir.cluster.capability;

/** The capabilities that nodes have announced. Safe on any thread. */
@FunctionalInterface
public interface NodeCapabilities {
  /** No node has any. */
  NodeCapabilities NONE = (nodeId, capability) -> false;

  /**
   * Returns whether the node announced the capability over its current connection. A node that
   * restarts loses all of them until it has answered again, so a call may still reach a node
   * without the plugin: it fails with OpenSearch's ActionNotFoundTransportException, and the caller
   * does what it does without the capability.
   */
  boolean has(String nodeId, Capability capability);
}
