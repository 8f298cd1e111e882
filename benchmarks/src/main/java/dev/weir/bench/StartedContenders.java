package dev.weir.bench;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a gateway is compared with besides a coordinating-only node: the data nodes themselves,
 * gateways of other checkouts, and HAProxy, which only moves bytes. Confined to one thread.
 */
final class StartedContenders implements AutoCloseable {
  /** The beginning of the names of gateways of other checkouts. */
  static final String BASELINE = "baseline ";

  private final List<AutoCloseable> started = new ArrayList<>();
  private final List<MeasuredEndpoint> endpoints = new ArrayList<>();

  private StartedContenders() {}

  /** Starts them in front of a cluster's first three nodes. */
  static StartedContenders start(List<Path> checkouts, DataNodeCluster cluster, PrintStream out)
      throws IOException {
    StartedContenders contenders = new StartedContenders();
    List<DataNode> nodes = cluster.nodes().subList(0, 3);
    contenders.endpoints.add(
        new MeasuredEndpoint(
            "clients to the nodes",
            nodes.stream()
                .map(node -> new InetSocketAddress("127.0.0.1", node.httpPort()))
                .toList(),
            MeasuredEndpoint.NO_PROCESS,
            false));
    HaproxyProcess relay = HaproxyProcess.start(nodes);
    if (relay == null) {
      out.println("HAProxy is not installed, so the cost of moving bytes alone is not measured");
    } else {
      contenders.started.add(relay);
      contenders.endpoints.add(
          new MeasuredEndpoint(
              "HAProxy, bytes alone", List.of(relay.address()), relay.pid(), false));
    }
    for (Path checkout : checkouts) {
      MeasuredGateway gateway = MeasuredGateway.startOther(checkout, cluster.seeds().subList(0, 3));
      contenders.started.add(gateway);
      contenders.endpoints.add(
          new MeasuredEndpoint(
              BASELINE + checkout.getFileName(), gateway.address(), gateway.pid()));
    }
    return contenders;
  }

  List<MeasuredEndpoint> endpoints() {
    return endpoints;
  }

  @Override
  public void close() {
    for (AutoCloseable one : started) {
      try {
        one.close();
      } catch (Exception e) {
        throw new IllegalStateException("can't stop a contender", e);
      }
    }
  }
}
