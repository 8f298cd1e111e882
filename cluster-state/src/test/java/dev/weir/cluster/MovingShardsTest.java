package dev.weir.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.shard.ShardNotFoundException;

/** A cluster so large that a read of its whole state takes five seconds, by the test's clock. */
final class MovingShardsTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final long READ_NANOS = SECONDS.toNanos(5);
  private static final long REST_NANOS = SECONDS.toNanos(11);

  private final FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
  private final LinkedBlockingQueue<ClusterView> views = new LinkedBlockingQueue<>();
  private final AtomicLong clock = new AtomicLong();
  private final ClusterState first =
      ClusterStates.ofNodes(4).index("moving", 2, 1).index("other", 2, 1).build(1, 1);
  private final List<FakeSeedClient> nodes = cluster.startAll(first);
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
          clock::get,
          TestSeed.random(MovingShardsTest.class));

  @BeforeEach
  void start() throws InterruptedException {
    nodes.forEach(node -> node.onWholeRead = () -> clock.addAndGet(READ_NANOS));
    follower.addListener((before, now) -> views.add(now));
    follower.start();
    await(view -> view.state().version() == 1);
  }

  @AfterEach
  void close() {
    follower.close();
  }

  @Test
  void showAMovedShardBeforeTheRestOfTheState() throws InterruptedException {
    ClusterView before = startToMove();

    apply(endMove(before.state(), 3));
    ClusterView view = await(seen -> nodesOf(seen, "moving", 0).contains("n3"));

    assertThat(view.state().version()).isEqualTo(2);
    assertThat(view.routingVersion()).isEqualTo(3);
    assertThat(view.hasNewerRouting()).isTrue();
    assertThat(view.hasSameState(before)).isFalse();
    assertThat(view.state().metadata()).isSameAs(before.state().metadata());
    assertThat(table(view, "other")).isSameAs(table(before, "other"));
    assertThat(nodes).allMatch(node -> node.count("whole") <= 2);

    clock.addAndGet(REST_NANOS);
    ClusterView whole = await(seen -> seen.state().version() == 3);
    assertThat(whole.hasNewerRouting()).isFalse();
    assertThat(nodesOf(whole, "moving", 0)).contains("n3");
  }

  @Test
  void leaveRoutingThatNoNodeAnswersToTheWholeState() throws InterruptedException {
    nodes.forEach(node -> node.refusesRouting = true);
    ClusterView before = startToMove();

    apply(endMove(before.state(), 3));
    awaitCount(() -> nodes.stream().anyMatch(node -> node.count("routing") > 0));
    clock.addAndGet(REST_NANOS);
    ClusterView whole = await(seen -> seen.state().version() == 3);

    assertThat(nodesOf(whole, "moving", 0)).contains("n3");
    assertThat(follower.status().errors().lastError()).isNull();
  }

  @Test
  void keepMetadataOfOneStateTogether() throws InterruptedException {
    ClusterView before = startToMove();
    ClusterState moved = endMove(before.state(), 3);

    apply(
        ClusterState.builder(moved)
            .metadata(
                Metadata.builder(moved.metadata())
                    .version(3)
                    .put(
                        ClusterStates.metadata(
                            "moving",
                            2,
                            1,
                            index -> index.putAlias(AliasMetadata.builder("alias"))),
                        false))
            .build());
    ClusterView view = await(seen -> nodesOf(seen, "moving", 0).contains("n3"));
    assertThat(view.state().metadata().hasAlias("alias")).isFalse();

    clock.addAndGet(REST_NANOS);
    await(seen -> seen.state().metadata().hasAlias("alias"));
  }

  @Test
  void leaveRoutingOfARecreatedIndexToTheWholeState() throws InterruptedException {
    ClusterView before = startToMove();
    ClusterState recreated =
        ClusterStates.ofNodes(4)
            .index("moving", 2, 1, ClusterStates.with("index.uuid", "another"))
            .index("other", 2, 1)
            .build(1, 3);

    apply(recreated);
    long reads = follower.readCounts().routingReads();
    awaitCount(() -> follower.readCounts().routingReads() > reads);
    assertThat(follower.current().state().version()).isEqualTo(2);
    assertThat(table(follower.current(), "moving")).isSameAs(table(before, "moving"));

    clock.addAndGet(REST_NANOS);
    await(seen -> seen.state().version() == 3);
  }

  @Test
  void keepNewerRoutingWhenAWholeStateIsOlder() throws InterruptedException {
    ClusterView before = startToMove();
    ClusterState moved = endMove(before.state(), 5);
    apply(moved);
    await(seen -> nodesOf(seen, "moving", 0).contains("n3"));

    ClusterState older = ClusterState.builder(before.state()).version(4).stateUUID("4").build();
    apply(withoutGateway(older));
    clock.addAndGet(REST_NANOS);
    ClusterView view = await(seen -> seen.state().version() == 4);

    assertThat(nodesOf(view, "moving", 0)).contains("n3");
    assertThat(view.routingVersion()).isEqualTo(5);
  }

  @Test
  void readAnIndexOfWhichANodeLacksACopy() throws InterruptedException {
    ClusterView before = readAgain();
    apply(endMove(changeFirstShard(first, 3, copy -> copy.relocate("n3", 0)), 4));
    awaitCount(() -> nodes.stream().mapToLong(node -> node.count("term")).sum() > 20);
    assertThat(follower.current().state().routingTable()).isSameAs(before.state().routingTable());

    follower.onShardFailure(
        new NodeCallException(
            NodeCallException.Kind.REMOTE,
            "n0",
            new ShardNotFoundException(
                new ShardId(first.metadata().index("moving").getIndex(), 0))));
    ClusterView view = await(seen -> nodesOf(seen, "moving", 0).contains("n3"));

    assertThat(view.state().version()).isEqualTo(2);
    assertThat(view.routingVersion()).isEqualTo(4);
  }

  @Test
  void ignoreOtherFailures() throws InterruptedException {
    readAgain();
    apply(endMove(changeFirstShard(first, 3, copy -> copy.relocate("n3", 0)), 4));
    follower.onShardFailure(
        new NodeCallException(
            NodeCallException.Kind.CONNECTION_LOST, "n0", new IllegalStateException("lost")));
    follower.onShardFailure(new IllegalStateException("another failure"));
    long polls = nodes.stream().mapToLong(node -> node.count("term")).sum();
    awaitCount(() -> nodes.stream().mapToLong(node -> node.count("term")).sum() > polls + 20);

    assertThat(follower.readCounts().routingReads()).isZero();
  }

  @Test
  void restAfterAReadOfTheWholeStateThatFailed() throws InterruptedException {
    nodes.forEach(node -> node.refusesWholeReads = true);
    long before = count("whole");
    apply(ClusterState.builder(first).version(2).stateUUID("state-1-2").build());
    awaitCount(() -> follower.status().errors().lastError() != null);
    long polls = count("term");
    awaitCount(() -> count("term") > polls + 20);

    assertThat(count("whole")).isEqualTo(before + 2);
    assertThat(follower.status().errors().lastError()).contains("timed out");

    nodes.forEach(node -> node.refusesWholeReads = false);
    clock.addAndGet(REST_NANOS);
    await(view -> view.state().version() == 2);
    awaitCount(() -> follower.status().errors().lastError() == null);
  }

  @Test
  void readFromAnotherNodeAtOnceWhereOneReadFails() throws InterruptedException {
    nodes.getFirst().refusesWholeReads = true;
    apply(ClusterState.builder(first).version(2).stateUUID("state-1-2").build());
    await(view -> view.state().version() == 2);
  }

  private long count(String what) {
    return nodes.stream().mapToLong(node -> node.count(what)).sum();
  }

  /** The gateway reads the whole state, and then rests. */
  private ClusterView readAgain() throws InterruptedException {
    apply(ClusterState.builder(first).version(2).stateUUID("state-1-2").build());
    return await(view -> view.state().version() == 2);
  }

  /** A relocation starts, and the gateway reads the whole state with it. */
  private ClusterView startToMove() throws InterruptedException {
    apply(changeFirstShard(first, 2, copy -> copy.relocate("n3", 0)));
    clock.addAndGet(REST_NANOS);
    return await(view -> view.state().version() == 2);
  }

  private static ClusterState endMove(ClusterState state, long version) {
    return withoutGateway(
        changeFirstShard(state, version, copy -> copy.getTargetRelocatingShard().moveToStarted()));
  }

  private static ClusterState withoutGateway(ClusterState state) {
    return ClusterState.builder(state).nodes(ClusterStates.ofNodes(4).build(1, 1).nodes()).build();
  }

  private static ClusterState changeFirstShard(
      ClusterState state, long version, UnaryOperator<ShardRouting> change) {
    IndexRoutingTable table = state.routingTable().index("moving");
    Index index = table.getIndex();
    IndexRoutingTable.Builder changed = IndexRoutingTable.builder(index);
    for (IndexShardRoutingTable shard : table) {
      IndexShardRoutingTable.Builder copies = new IndexShardRoutingTable.Builder(shard.shardId());
      for (ShardRouting copy : shard) {
        copies.addShard(copy.id() == 0 && copy.primary() ? change.apply(copy) : copy);
      }
      changed.addIndexShard(copies.build());
    }
    return ClusterState.builder(state)
        .version(version)
        .stateUUID("state-1-" + version)
        .routingTable(RoutingTable.builder(state.routingTable()).add(changed.build()).build())
        .build();
  }

  private void apply(ClusterState state) {
    nodes.forEach(node -> node.apply(state));
  }

  private static IndexRoutingTable table(ClusterView view, String index) {
    return view.state().routingTable().index(index);
  }

  private static List<String> nodesOf(ClusterView view, String index, int shard) {
    return table(view, index).shard(shard).activeShards().stream()
        .map(ShardRouting::currentNodeId)
        .toList();
  }

  private ClusterView await(Predicate<ClusterView> wanted) throws InterruptedException {
    while (true) {
      ClusterView view = views.poll(20, SECONDS);
      assertThat(view).as("a view like this within 20 s; now %s", follower.current()).isNotNull();
      if (wanted.test(view)) {
        return view;
      }
    }
  }

  private static void awaitCount(BooleanSupplier reached) throws InterruptedException {
    long deadline = System.nanoTime() + SECONDS.toNanos(20);
    while (!reached.getAsBoolean()) {
      assertThat(System.nanoTime()).as("a routing read within 20 s").isLessThan(deadline);
      Thread.sleep(5);
    }
  }
}
