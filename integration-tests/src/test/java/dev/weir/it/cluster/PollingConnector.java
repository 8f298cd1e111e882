package dev.weir.it.cluster;

import dev.weir.cluster.NodeConnector;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeConnectionListener;
import dev.weir.protocol.SeedClient;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

/** Hides the plugin of all nodes from a follower, which then reads whole states. */
record PollingConnector(NodeConnector nodes) implements NodeConnector {
  @Override
  public CompletionStage<SeedClient> connectSeed(InetSocketAddress address) {
    return nodes.connectSeed(address);
  }

  @Override
  public void update(Collection<NodeEndpoint> endpoints) {
    nodes.update(endpoints);
  }

  @Override
  public NodeClients clients() {
    return nodes.clients();
  }

  @Override
  public void addConnectionListener(NodeConnectionListener listener) {
    // without connections, nobody asks for a plugin
  }
}
