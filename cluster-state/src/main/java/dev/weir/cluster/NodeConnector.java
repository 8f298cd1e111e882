package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeConnectionListener;
import dev.weir.protocol.SeedClient;
import dev.weir.protocol.TransportClients;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

/** Connects the follower to nodes. Safe on any thread. */
public interface NodeConnector {
  /** Connects over the transport protocol. */
  static NodeConnector of(TransportClients clients) {
    return new NodeConnector() {
      @Override
      public CompletionStage<SeedClient> connectSeed(InetSocketAddress address) {
        return clients.connectSeed(address);
      }

      @Override
      public void update(Collection<NodeEndpoint> nodes) {
        clients.update(nodes);
      }

      @Override
      public NodeClients clients() {
        return clients;
      }

      @Override
      public void addConnectionListener(NodeConnectionListener listener) {
        clients.addConnectionListener(listener);
      }
    };
  }

  /** Connects to the node at an address; the caller closes the client. */
  CompletionStage<SeedClient> connectSeed(InetSocketAddress address);

  /** Replaces the set of known nodes. */
  void update(Collection<NodeEndpoint> nodes);

  /** Returns the clients of the known nodes. */
  NodeClients clients();

  /** Adds a listener to the connections of known nodes that open from now on. */
  void addConnectionListener(NodeConnectionListener listener);
}
