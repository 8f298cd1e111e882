package dev.weir.protocol;

/**
 * Follows the connections to the known nodes of a cluster. Called on event loops, at once for
 * several channels of a node; must not block.
 */
public interface NodeConnectionListener {
  /**
   * A channel has opened, and no request was sent over it yet. A node has several channels, so this
   * is called several times for each start of a node.
   *
   * @param processId the node's ephemeral id, which differs after each start of the node
   */
  void onChannelOpened(NodeClient node, String processId);

  /**
   * The last open channel has closed. Another one may have opened in the meantime: {@link
   * NodeClient#isConnected()} says so.
   */
  void onDisconnected(NodeClient node);
}
