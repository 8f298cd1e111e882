package dev.weir.cluster.capability;

/** The capabilities that nodes have announced. Safe on any thread. */
@FunctionalInterface
public interface NodeCapabilities {
  /** No node has any. */
  NodeCapabilities NONE =
      new NodeCapabilities() {
        @Override
        public boolean has(String nodeId, Capability capability) {
          return false;
        }

        @Override
        public boolean isOnAnyNode(Capability capability) {
          return false;
        }
      };

  /**
   * Returns whether the node announced the capability over its current connection. A node that
   * restarts loses all of them until it has answered again, so a call may still reach a node
   * without the plugin: it fails with OpenSearch's ActionNotFoundTransportException, and the caller
   * does what it does without the capability.
   */
  boolean has(String nodeId, Capability capability);

  /**
   * Returns false if no node has the capability: then there is no need to ask for single nodes. May
   * return true without such a node.
   */
  default boolean isOnAnyNode(Capability capability) {
    return true;
  }
}
