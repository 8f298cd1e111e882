package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Three nodes of which one is going to be in trouble, and a gateway before them: there while the
 * tests of a class run. After each of these nothing may be left behind.
 */
@SuppressWarnings("NullAway.Init")
final class FaultyNodeTestBed implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private final ClusterSpec cluster;
  private final String more;
  private final List<Runnable> beginning = new ArrayList<>();
  private DataNodeCluster nodes;
  private TestBed testBed;

  /**
   * Says what is to be there.
   *
   * @param each what each node is to be like
   * @param more further sections of the gateway's configuration
   */
  FaultyNodeTestBed(String name, UnaryOperator<NodeSpec> each, String more) {
    this.cluster = ClusterSpec.ofNodes(3).withName(name).mapNodes(each);
    this.more = more;
  }

  /** There is also an index, made and filled before the first test. */
  FaultyNodeTestBed with(String index, int shards, int replicas, int documents) {
    beginning.add(() -> {
      create(index, shards, replicas, "");
      fill(index, documents);
    });
    return this;
  }

  @Override
  public void beforeAll(ExtensionContext tests) {
    nodes = DataNodeCluster.start(cluster);
    testBed = TestBed.withSections(nodes.seeds(), more);
    beginning.forEach(Runnable::run);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    nodes.restore();
    LeakChecks.assertNone(testBed, nodes);
  }

  /** Runs also when not all of it could be started. */
  @Override
  public void afterAll(ExtensionContext tests) {
    try {
      if (testBed != null) {
        testBed.close();
      }
    } finally {
      if (nodes != null) {
        nodes.close();
      }
    }
  }

  DataNodeCluster nodes() {
    return nodes;
  }

  /** The gateway. */
  TestBed testBed() {
    return testBed;
  }

  /** A client of the gateway. */
  RestClient rest() {
    return testBed.rest();
  }

  /** A client of the gateway's admin pages. */
  RestClient admin() {
    return testBed.admin();
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

  /** Makes an index of one shard, whose primary is on a node. */
  void createOn(DataNode node, String index, int replicas) {
    create(index, 1, 0, ", \"index.routing.allocation.require._name\": \"" + node.name() + '"');
    String settings =
        """
        {"index.number_of_replicas": %d, "index.routing.allocation.require._name": null}
        """
            .formatted(replicas);
    nodes.rest().send("PUT", "/" + index + "/_settings", settings).orThrow();
    nodes.awaitGreen();
  }

  /** Puts so many documents in, whose {@code n} and ids count from 0. */
  void fill(String index, int documents) {
    String lines =
        IntStream.range(0, documents)
            .mapToObj(n -> "{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + "}\n")
            .collect(Collectors.joining());
    RestReply written =
        nodes.rest().bulk("/" + index + "/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
    assertThat(JsonResponse.of(written).at("errors")).as("%s", written).isEqualTo(false);
  }

  /** A node that tests may do without: not the first, which they ask, and not the manager. */
  DataNode faultyNode() {
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
    return JsonResponse.of(admin().send("GET", path).orThrow()).number(field);
  }

  /** A count of the fault plugin on the node that this client asks. */
  static long faults(RestClient node, String count) {
    return JsonResponse.of(node.send("GET", "/_weir_faults").orThrow()).number(count);
  }
}
