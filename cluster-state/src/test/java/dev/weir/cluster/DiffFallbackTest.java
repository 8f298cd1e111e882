package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.Writeable;

/** Reads of whole states where nodes with the plugin answer with no changes. */
final class DiffFallbackTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
  private final LinkedBlockingQueue<ClusterView> views = new LinkedBlockingQueue<>();
  private final ClusterState first = ClusterStates.ofNodes(3).index("one", 2, 1).build(1, 1);
  private final List<FakeSeedClient> nodes = cluster.startAll(first);
  private final ClusterFollower follower =
      new ClusterFollower(
          new ClusterFollowerOptions(
              new SeedHosts(List.of("127.0.0.1:9301")),
              null,
              Duration.ofMillis(50),
              new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
              Map.of()),
          cluster,
          REGISTRIES,
          System::nanoTime,
          TestSeed.random(DiffFallbackTest.class));

  /** What nodes answer to requests for changes. */
  enum DiffAnswer {
    NEVER,
    UNKNOWN_STATE,
    NO_CLUSTER_MANAGER,
    UNREADABLE_STEP,
    UNREADABLE
  }

  private static Writeable payload(DiffAnswer answer) {
    return switch (answer) {
      case NEVER -> FakeSeedClient.PENDING;
      case UNKNOWN_STATE -> out -> out.writeBytes(new byte[] {1, 0});
      case NO_CLUSTER_MANAGER -> out -> out.writeBytes(new byte[] {2, 0});
      case UNREADABLE_STEP ->
          out -> {
            out.writeBytes(new byte[] {0, 1});
            out.writeBytesReference(new BytesArray("no step"));
          };
      case UNREADABLE -> out -> out.writeByte((byte) 9);
    };
  }

  @AfterEach
  void close() {
    follower.close();
  }

  @ParameterizedTest
  @EnumSource
  void readsTheStateItself(DiffAnswer answer) throws Exception {
    nodes.get(1).diffs = payload(answer); // one node has no plugin
    nodes.get(2).diffs = payload(answer);
    follower.addListener((before, now) -> views.add(now));
    follower.start();
    await(1);
    while (nodes.get(1).count("diff") + nodes.get(2).count("diff") == 0) {
      Thread.onSpinWait();
    }

    ClusterState next = ClusterStates.ofNodes(3).index("one", 2, 1).index("two", 1, 1).build(2, 2);
    nodes.forEach(node -> node.apply(next));
    assertThat(await(2).state().metadata().hasIndex("two")).isTrue();
    assertThat(nodes.get(0).count("diff")).isZero();
    assertThat(follower.readCounts().wholeReads()).isGreaterThan(1);
  }

  @Test
  void showsTheNextClusterManagerOfTheSameState() throws Exception {
    nodes.forEach(node -> node.diffs = FakeSeedClient.PENDING);
    follower.addListener((before, now) -> views.add(now));
    follower.start();
    await(1);
    for (int i = 0; follower.diffNode() == null; i++) {
      assertThat(i).as("the diffs of a node are followed").isLessThan(1000);
      Thread.sleep(10);
    }

    ClusterState leaderless =
        ClusterState.builder(first)
            .nodes(DiscoveryNodes.builder(first.nodes()).clusterManagerNodeId(null))
            .build();
    nodes.forEach(node -> node.apply(leaderless));
    await(view -> view.state().nodes().getClusterManagerNodeId() == null);
    nodes.forEach(node -> node.apply(first));
    await(view -> view.state().nodes().getClusterManagerNodeId() != null);
  }

  private ClusterView await(long version) throws InterruptedException {
    return await(view -> view.state().version() == version);
  }

  private ClusterView await(Predicate<ClusterView> wanted) throws InterruptedException {
    while (true) {
      ClusterView next = views.poll(30, TimeUnit.SECONDS);
      assertThat(next).as("a view like this within 30 s; now %s", follower.current()).isNotNull();
      if (next != null && wanted.test(next)) {
        return next;
      }
    }
  }
}
