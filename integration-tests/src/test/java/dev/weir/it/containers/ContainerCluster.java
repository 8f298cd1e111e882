package dev.weir.it.containers;

import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster without security: two nodes with data, and a third that only coordinates and is the
 * reference, because a data node treats its own shards differently. Closing it removes all.
 */
final class ContainerCluster implements AutoCloseable {
  private static final List<String> NAMES = List.of("data-1", "data-2", "coordinator");
  private static final String COORDINATOR = NAMES.getLast();

  private final List<ContainerNode> nodes = new ArrayList<>();

  private ContainerCluster() {}

  /** Starts the nodes, and waits until they form a cluster. */
  static ContainerCluster start(NodeImage image, RandomGenerator random) {
    List<NodePorts> ports =
        Stream.generate(() -> NodePorts.findFree(random)).limit(NAMES.size()).toList();
    ContainerCluster cluster = new ContainerCluster();
    try {
      for (int i = 0; i < NAMES.size(); i++) {
        cluster.nodes.add(
            ContainerNode.start(image, ports.get(i), environment(NAMES.get(i), ports)));
      }
      cluster.coordinator().awaitHealth(RestAccess.PLAIN, "wait_for_nodes=" + NAMES.size());
      return cluster;
    } catch (RuntimeException | AssertionError e) {
      cluster.close();
      throw e;
    }
  }

  private static Map<String, String> environment(String name, List<NodePorts> ports) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("DISABLE_SECURITY_PLUGIN", "true");
    environment.put("DISABLE_INSTALL_DEMO_CONFIG", "true");
    environment.put("cluster.name", "weir-containers-" + ports.getFirst().transport());
    environment.put("node.name", name);
    environment.put(
        "discovery.seed_hosts",
        ports.stream().map(NodePorts::transportAddress).collect(Collectors.joining(",")));
    // tests with many scripts must not fail
    environment.put("script.max_compilations_rate", "100000/1m");
    // a shard that is being moved would count as one more copy in the responses to writes
    environment.put("cluster.routing.rebalance.enable", "none");
    if (name.equals(COORDINATOR)) {
      // the image's start script drops an empty list of roles; this one adds no work to
      // coordinating
      environment.put("node.roles", "remote_cluster_client");
    } else {
      environment.put("cluster.initial_cluster_manager_nodes", NAMES.getFirst());
    }
    return environment;
  }

  private ContainerNode coordinator() {
    return nodes.getLast();
  }

  /** Returns the REST endpoint of the node that only coordinates. */
  URI coordinatorUri() {
    return coordinator().uri(RestAccess.PLAIN);
  }

  /** Returns the transport endpoints of all nodes, as a gateway's configuration takes them. */
  List<String> seeds() {
    return nodes.stream().map(ContainerNode::transportAddress).toList();
  }

  /** Returns the version that the nodes give. */
  String version() {
    try (RestClient client = new RestClient(coordinatorUri())) {
      return JsonResponse.of(client.send("GET", "/").orThrow()).text("version.number");
    }
  }

  @Override
  public void close() {
    nodes.forEach(ContainerNode::close);
  }
}
