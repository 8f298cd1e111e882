package dev.weir.bench;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** A running process, and its endpoint. */
  record Contender(AutoCloseable process, MeasuredEndpoint endpoint) {}

  /** Starts a process. */
  @FunctionalInterface
  interface Starter {
    /** Returns the process; null if it can't run on this machine. */
    @Nullable Contender start() throws IOException;
  }

  /** Starts them in front of a cluster's first three nodes. */
  static StartedContenders start(List<Path> checkouts, DataNodeCluster cluster, PrintStream out)
      throws IOException {
    checkouts.forEach(MeasuredGateway::requireBuilt);
    List<DataNode> nodes = cluster.nodes().subList(0, 3);
    List<Starter> starters = new ArrayList<>();
    starters.add(() -> startRelay(nodes, out));
    for (Path checkout : checkouts) {
      starters.add(() -> startBaseline(checkout, cluster.seeds().subList(0, 3)));
    }
    MeasuredEndpoint direct =
        new MeasuredEndpoint(
            "clients to the nodes",
            nodes.stream()
                .map(node -> new InetSocketAddress("127.0.0.1", node.httpPort()))
                .toList(),
            MeasuredEndpoint.NO_PROCESS,
            false);
    return start(direct, starters);
  }

  /**
   * Starts processes in order. If one fails to start, those before it are ended.
   *
   * @param direct an endpoint without a process to start
   */
  static StartedContenders start(MeasuredEndpoint direct, List<Starter> starters)
      throws IOException {
    StartedContenders contenders = new StartedContenders();
    contenders.endpoints.add(direct);
    try {
      for (Starter starter : starters) {
        Contender contender = starter.start();
        if (contender != null) {
          contenders.started.add(contender.process());
          contenders.endpoints.add(contender.endpoint());
        }
      }
      return contenders;
    } catch (IOException | RuntimeException e) {
      try {
        contenders.close();
      } catch (IllegalStateException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private static @Nullable Contender startRelay(List<DataNode> nodes, PrintStream out)
      throws IOException {
    HaproxyProcess relay = HaproxyProcess.start(nodes);
    if (relay == null) {
      out.println("HAProxy is not installed, so the cost of moving bytes alone is not measured");
      return null;
    }
    return new Contender(
        relay,
        new MeasuredEndpoint("HAProxy, bytes alone", List.of(relay.address()), relay.pid(), false));
  }

  private static Contender startBaseline(Path checkout, List<String> seeds) throws IOException {
    MeasuredGateway gateway = MeasuredGateway.startOther(checkout, seeds);
    return new Contender(
        gateway,
        new MeasuredEndpoint(BASELINE + checkout.getFileName(), gateway.address(), gateway.pid()));
  }

  List<MeasuredEndpoint> endpoints() {
    return endpoints;
  }

  /** Ends all of them, even if one can't be ended. */
  @Override
  public void close() {
    List<Exception> failures = new ArrayList<>();
    for (AutoCloseable one : started) {
      try {
        one.close();
      } catch (Exception e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      IllegalStateException failure =
          new IllegalStateException("can't stop a contender", failures.getFirst());
      failures.stream().skip(1).forEach(failure::addSuppressed);
      throw failure;
    }
  }
}
