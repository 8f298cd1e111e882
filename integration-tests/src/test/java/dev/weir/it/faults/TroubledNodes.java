package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three nodes of which one is going to be in trouble, and a gateway before them.
 *
 * @param nodes the nodes
 * @param bed the gateway
 */
record TroubledNodes(DataNodes nodes, TestBed bed) implements AutoCloseable {
  /**
   * Starts them.
   *
   * @param each what each node is to be like
   * @param more further sections of the gateway's configuration
   */
  static TroubledNodes start(String name, UnaryOperator<NodeSpec> each, String more) {
    DataNodes nodes = DataNodes.start(ClusterSpec.of(3).named(name).eachNode(each));
    try {
      return new TroubledNodes(nodes, TestBed.configured(nodes.seeds(), more));
    } catch (RuntimeException | AssertionError failure) {
      nodes.close();
      throw failure;
    }
  }

  /** Makes an index of documents with a number {@code n}. */
  void create(String index, int shards, int replicas, String settings) {
    String body =
        """
        {"settings": {"number_of_shards": %d, "number_of_replicas": %d %s},
         "mappings": {"properties": {"n": {"type": "long"}}}}
        """
            .formatted(shards, replicas, settings);
    nodes.rest().send("PUT", "/" + index + "?wait_for_active_shards=all", body).orThrow();
  }

  /** Puts so many documents in, whose {@code n} and ids count from 0. */
  void fill(String index, int documents) {
    String lines =
        IntStream.range(0, documents)
            .mapToObj(n -> "{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + "}\n")
            .collect(Collectors.joining());
    RestReply written =
        nodes.rest().bulk("/" + index + "/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
    assertThat(Json.of(written).at("errors")).as("%s", written).isEqualTo(false);
  }

  /** A node that tests may do without: not the first, which they ask, and not the manager. */
  DataNode victim() {
    String manager =
        nodes.rest().send("GET", "/_cat/cluster_manager?h=node").orThrow().body().strip();
    return nodes.nodes().stream()
        .skip(1)
        .filter(node -> !node.name().equals(manager))
        .findFirst()
        .orElseThrow();
  }

  /** A number from one of the gateway's admin pages. */
  long admin(String path, String field) {
    return Json.of(bed.admin().send("GET", path).orThrow()).number(field);
  }

  /** A count of the fault plugin on the node that this client asks. */
  static long faults(RestClient node, String count) {
    return Json.of(node.send("GET", "/_weir_faults").orThrow()).number(count);
  }

  /** Insists that nothing is left behind. */
  void assertNothingLeft() {
    Leftovers.none(bed, nodes);
  }

  @Override
  public void close() {
    try {
      bed.close();
    } finally {
      nodes.close();
    }
  }
}
