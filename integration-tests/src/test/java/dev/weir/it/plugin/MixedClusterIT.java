package dev.weir.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.compare.BundledCorpora;
import dev.weir.testkit.compare.EndpointComparer;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A gateway that compresses, in front of nodes with the plugin, with another version of it, and
 * without it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 6)
class MixedClusterIT {
  /** Some searches and writes; {@code EquivalenceIT} has the others. */
  private static final List<String> CORPORA = List.of("documents", "bulk", "search");

  /**
   * The first node has another version of the plugin until a test changes that, the second has this
   * one, and the third has none. Another, without it, only coordinates.
   */
  private final DataNodeCluster nodes =
      DataNodeCluster.start(
          new ClusterSpec(
                  "weir-mixed-versions",
                  List.of(
                      NodeSpec.of("other").withOnly(NodePlugin.OTHER_WEIR),
                      NodeSpec.of("with"),
                      NodeSpec.of("without").withoutPlugins(),
                      NodeSpec.of("coordinator").asCoordinatingOnly().withoutPlugins()),
                  PortPlan.ANY_FREE,
                  null,
                  true,
                  line -> {})
              .mapNodes(MixedClusterIT::withoutRebalancing));

  private final TestBed bed =
      TestBed.startWithConfig(
          """
          clusters:
            main:
              seeds: ["%s"]
              compression: on
              plugins-without-filters: [dev.weir.testkit.node.OtherWeirPlugin]
          http: {listen: "127.0.0.1:0", compression: {min-body-bytes: 0b}}
          admin: {listen: "127.0.0.1:0"}
          """
              .formatted(String.join("\", \"", nodes.seeds().subList(0, 3))));

  @AfterAll
  void close() {
    try (nodes) {
      bed.close();
    }
  }

  /** A shard that is being moved would count as one more copy in the responses to writes. */
  private static NodeSpec withoutRebalancing(NodeSpec node) {
    return node.withSetting("cluster.routing.rebalance.enable", "none");
  }

  private List<DataNode> dataNodes() {
    return nodes.nodes().subList(0, 3);
  }

  private static boolean has(DataNode node, NodePlugin plugin) {
    return node.spec().plugins().contains(plugin);
  }

  /** What the gateway shows of a node. */
  private Map<String, Object> row(DataNode node) {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).objects("nodes").stream()
        .filter(row -> node.id().equals(row.get("node")))
        .findFirst()
        .orElse(Map.of());
  }

  private void awaitAnswers() {
    for (DataNode node : dataNodes()) {
      String version =
          has(node, NodePlugin.WEIR) ? "0." : has(node, NodePlugin.OTHER_WEIR) ? "9.9.9" : "";
      Await.untilValue(
          node.name() + " with version " + version,
          () -> row(node),
          row ->
              row.get("plugin_version") instanceof String shown
                  && (version.isEmpty() ? shown.isEmpty() : shown.startsWith(version)));
    }
  }

  @Test
  void answersAsANodeDoes() {
    awaitAnswers();
    EndpointComparer comparer =
        new EndpointComparer(
            nodes.nodes().getLast().httpUri(), bed.uri(), TestSeed.random(MixedClusterIT.class));

    BundledCorpora.run(comparer, CORPORA)
        .forEach((corpus, running) -> {
          assertThat(running.join().findings()).as(running.join().toString()).isEmpty();
          assertThat(running.join().requests()).as(corpus).isGreaterThan(20);
        });

    bed.assertNothingHeld();
    assertCompressed();
  }

  /** Requests with zstd go to the nodes that announced it. */
  private void assertCompressed() {
    for (DataNode node : dataNodes()) {
      long zstd = zstdRequests(row(node));
      if (has(node, NodePlugin.WEIR)) {
        assertThat(zstd).as(node.name()).isGreaterThan(100);
      }
    }
  }

  private static long zstdRequests(@Nullable Map<String, Object> row) {
    return row != null && row.get("zstd_requests") instanceof Number number
        ? number.longValue()
        : -1;
  }

  /** A node has to answer, and to keep the connection. */
  @Test
  void failsOnlyTheRequestThatIsBroken() throws Exception {
    DataNode node =
        dataNodes().stream().filter(each -> has(each, NodePlugin.WEIR)).findFirst().orElseThrow();
    byte[] frame = Zstd.compress(new byte[] {0}); // the request is its parent task, which is none
    byte[] flipped = frame.clone();
    flipped[0] ^= 1;
    try (CapabilityCaller caller = new CapabilityCaller(node)) {
      assertThat(caller.call(frame, 1)).startsWith("0.");
      assertThat(caller.call(flipped, 1)).contains("broken compressed request");
      assertThat(caller.call(frame, 2)).contains("got a compressed request of 1 bytes");
      assertThat(caller.call(new byte[50], Integer.MAX_VALUE)).contains("(expected: 1 to ");
      assertThat(caller.call(new byte[] {0}, 0)).as("not compressed").startsWith("0.");
    }
  }

  /**
   * Two nodes are killed in the middle of reads and writes: the first comes back with this version
   * of the plugin, which can do more than the other, and the second without the plugin.
   */
  @Test
  void losesNothingWhileNodesChangeTheirPlugin() throws Exception {
    awaitAnswers();
    assertUseOfWhatIsAnnounced();
    assertThat(row(dataNodes().get(0)).get("capabilities"))
        .isEqualTo(List.of("cluster-state-diffs", "reader-generations", "unknown-to-this-gateway"));
    try (VerifiedLoad load = VerifiedLoad.start(bed, nodes.nodes().getLast())) {
      load.awaitProgress();
      killAndReplace(dataNodes().get(0), NodePlugin.WEIR);
      load.awaitProgress();
      killAndReplace(dataNodes().get(1));
      load.awaitProgress();
      load.stop();
      load.verify();
    }
    assertUseOfWhatIsAnnounced();
    assertThat(String.valueOf(row(dataNodes().get(0)).get("capabilities")))
        .contains("load-feedback", "zstd-payloads")
        .doesNotContain("unknown");
    assertThat(row(dataNodes().get(1)).get("capabilities")).isEqualTo(List.of());
    bed.assertNothingHeld();
  }

  private void killAndReplace(DataNode node, NodePlugin... plugins) {
    node.killAndRestart(spec -> spec.withOnly(plugins));
    nodes.awaitGreen();
    awaitAnswers();
  }

  private void assertUseOfWhatIsAnnounced() {
    dataNodes().forEach(this::assertUseOfWhatIsAnnounced);
  }

  /** Documents that are on one node are read there, compressed and with a load if it says so. */
  private void assertUseOfWhatIsAnnounced(DataNode node) {
    String index = "alone-on-" + node.name();
    bed.rest()
        .send(
            "PUT",
            "/" + index,
            """
            {"settings": {"number_of_shards": 1, "number_of_replicas": 0,
              "index.routing.allocation.require._name": "%s"}}\
            """
                .formatted(node.name()))
        .orThrow();
    long before = zstdRequests(row(node));
    bed.rest().send("PUT", "/" + index + "/_doc/1?refresh=true", "{\"n\": 1}").orThrow();
    assertThat(bed.rest().send("GET", "/" + index + "/_search").orThrow().body())
        .contains("\"value\":1,");
    Map<String, Object> after = row(node);
    boolean announced = has(node, NodePlugin.WEIR);
    assertThat(zstdRequests(after) > before).as("zstd to " + node.name()).isEqualTo(announced);
    assertThat(after.containsKey("load")).as("load of " + node.name()).isEqualTo(announced);
    bed.rest().send("DELETE", "/" + index).orThrow();
  }
}
