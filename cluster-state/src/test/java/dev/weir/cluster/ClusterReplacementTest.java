package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;

/** How the gateway reacts to another cluster at the addresses of the followed one. */
class ClusterReplacementTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final String ANEW = "another-uuid";

  /** How many seconds pass for the follower in one real second. */
  private static final int PACE = 50;

  private final FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
  private final LinkedBlockingQueue<ClusterView> heard = new LinkedBlockingQueue<>();
  private final List<FakeSeedClient> old =
      cluster.startAll(ClusterStates.ofNodes(3).index("logs", 2, 1).build(1, 7));
  private final ClusterFollower follower =
      new ClusterFollower(
          new ClusterFollowerOptions(
              new SeedHosts(List.of("127.0.0.1:9301")),
              null,
              Duration.ofMillis(10),
              new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
              Map.of()),
          cluster,
          REGISTRIES,
          () -> PACE * System.nanoTime(),
          TestSeed.random(ClusterReplacementTest.class));

  @BeforeEach
  void follow() throws Exception {
    follower.addListener((before, now) -> heard.add(now));
    follower.start();
    assertThat(follows(ClusterStates.CLUSTER_UUID)).isTrue();
  }

  @AfterEach
  void close() {
    follower.close();
  }

  private boolean follows(String uuid) throws InterruptedException {
    ClusterView view = heard.poll(20, TimeUnit.SECONDS);
    while (view != null && !view.state().metadata().clusterUUID().equals(uuid)) {
      view = heard.poll(20, TimeUnit.SECONDS);
    }
    return view != null;
  }

  /** A listener may see a view before its follower reports the cluster as healthy. */
  private boolean troubleGoes() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    ClusterStatus.Errors none = new ClusterStatus.Errors(null, Map.of());
    while (!follower.status().errors().equals(none) && System.nanoTime() < end) {
      Thread.sleep(5);
    }
    return follower.status().errors().equals(none);
  }

  /** Starts other nodes at the first addresses. */
  private void builtAnew(int nodes, String name) {
    DiscoveryNodes.Builder fresh = DiscoveryNodes.builder();
    for (int i = 0; i < nodes; i++) {
      fresh.add(new DiscoveryNode("new" + i, ClusterStates.node(i).getAddress(), Version.CURRENT));
    }
    cluster.startAll(
        ClusterState.builder(new ClusterName(name))
            .nodes(fresh.clusterManagerNodeId("new0").build())
            .metadata(Metadata.builder().clusterUUID(ANEW))
            .version(2)
            .build());
  }

  @Test
  void followTheNewClusterAtMostOfTheAddresses() throws Exception {
    old.forEach(node -> node.up = false);
    builtAnew(2, "test");

    assertThat(follows(ANEW)).isTrue();
    ClusterView view = follower.current();
    assertThat(view.nodes().keySet()).containsExactlyInAnyOrder("new0", "new1");
    assertThat(view.state().version()).isEqualTo(2);
    assertThat(view.state().metadata().hasIndex("logs")).isFalse();
    assertThat(troubleGoes()).as("%s", follower.status().errors()).isTrue();
    assertThat(follower.status().nodes()).isEqualTo(new ClusterStatus.Nodes(2, 2, true));
    assertThat(follower.replacements()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "1, test, 3", // the others may be cut off
    "3, other, 3", // of another name
    "2, test, 2" // the last one is still there
  })
  void keepTheOldClusterWhileItMayExist(int taken, String name, int down) throws Exception {
    old.subList(0, down).forEach(node -> node.up = false);
    builtAnew(taken, name);
    Thread.sleep(1_000);

    assertThat(follower.replacements()).isZero();
    assertThat(follower.status().cluster())
        .isEqualTo(new ClusterStatus.Identity("test", ClusterStates.CLUSTER_UUID));
    assertThat(follower.status().errors().rejectedSeeds()).hasSize(down == 3 ? taken : 0);
  }
}
