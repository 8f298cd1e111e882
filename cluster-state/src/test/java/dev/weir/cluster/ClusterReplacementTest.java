package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/**
 * How the gateway reacts to another cluster at the addresses of the followed one, or to an earlier
 * state of it.
 */
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
    assertThat(follower.status().errors().rejectedSeeds().keySet())
        .isEqualTo(down == 3 ? Set.of("127.0.0.1:9301") : Set.of()); // the others are no seeds
  }

  /** Returns a state that is older than the followed one. */
  private static ClusterState earlier() {
    return ClusterStates.ofNodes(3).index("older", 1, 1).build(1, 3);
  }

  private List<FakeSeedClient> setBack(ClusterState state) {
    old.forEach(node -> node.up = false);
    return cluster.restartAll(state);
  }

  private @Nullable ClusterView next(long version) throws InterruptedException {
    ClusterView view = heard.poll(20, TimeUnit.SECONDS);
    while (view != null && view.state().version() != version) {
      view = heard.poll(20, TimeUnit.SECONDS);
    }
    return view;
  }

  @Test
  void followTheClusterThatWasSetBack() throws Exception {
    ClusterView before = follower.current();
    ClusterState first = ClusterStates.restarted(earlier(), 3);
    List<FakeSeedClient> nodes = setBack(first);

    ClusterView view = Objects.requireNonNull(next(3));
    assertThat(view.state().metadata().hasIndex("older")).isTrue();
    assertThat(view.state().metadata().hasIndex("logs")).isFalse();
    assertThat(view.isSameCluster(before)).isFalse();
    assertThat(troubleGoes()).as("%s", follower.status().errors()).isTrue();
    assertThat(follower.replacements()).isEqualTo(1);

    ClusterState changed = ClusterState.builder(first).version(4).stateUUID("4").build();
    nodes.forEach(node -> node.apply(changed));
    assertThat(Objects.requireNonNull(next(4)).isSameCluster(view)).isTrue();
  }

  @Test
  void keepTheNewestStateWhileNodesMayOnlyLag() throws Exception {
    old.forEach(node -> node.apply(earlier()));
    Thread.sleep(500);
    assertThat(follower.status().errors().lastError()).contains("lag behind");

    setBack(ClusterStates.restarted(earlier(), 2)); // the view has the process of the last node
    Thread.sleep(500);
    ClusterState leaderless = ClusterStates.restarted(earlier(), 3);
    setBack(
        ClusterState.builder(leaderless)
            .nodes(DiscoveryNodes.builder(leaderless.nodes()).clusterManagerNodeId(null))
            .build());
    Thread.sleep(500);

    assertThat(follower.status().position()).isEqualTo(new StatePosition(1, 7));
    assertThat(follower.replacements()).isZero();
  }

  @Test
  void keepTheNewestStateWhileANodeHasIt() throws Exception {
    old.subList(0, 2).forEach(node -> node.up = false);
    ClusterState two = ClusterStates.ofNodes(2).index("older", 1, 1).build(1, 3);
    cluster.restartAll(ClusterStates.restarted(two, 2));
    Thread.sleep(500);
    assertThat(follower.status().position()).isEqualTo(new StatePosition(1, 7));

    old.getLast().up = false;
    assertThat(next(3)).isNotNull();
    assertThat(follower.current().nodes()).containsOnlyKeys("n0", "n1");
  }
}
