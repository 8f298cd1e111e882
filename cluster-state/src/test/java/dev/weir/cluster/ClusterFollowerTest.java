package dev.weir.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.coordination.NoClusterManagerBlockService;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.transport.TransportAddress;

class ClusterFollowerTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
  private final LinkedBlockingQueue<ClusterView> heard = new LinkedBlockingQueue<>();
  private @org.jspecify.annotations.Nullable ClusterFollower open;

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  @Test
  void findsAllNodesFromTheOneSeedThatAnswers() throws Exception {
    cluster.startAll(state(1, 1));

    ClusterFollower follower = follow("127.0.0.1:9999", "127.0.0.1:9302");
    ClusterView view = nextWhere(seen -> httpKnown(seen, "n2"));

    assertThat(view.nodes().keySet()).containsExactlyInAnyOrder("n0", "n1", "n2");
    assertThat(view.nodes().get("n2"))
        .satisfies(node -> {
          assertThat(node.transport().getPort()).isEqualTo(9303);
          assertThat(node.http()).isNotNull();
          assertThat(node.attributes()).containsEntry("zone", "c");
          assertThat(node.roles()).contains("data");
        });
    assertThat(view.state().metadata().hasIndex("logs")).isTrue();
    assertThat(view.isPartial()).isFalse();
    ClusterStatus status = follower.status();
    assertThat(status.isUsable()).isTrue();
    assertThat(status.cluster())
        .isEqualTo(new ClusterStatus.Identity("test", ClusterStates.CLUSTER_UUID));
    assertThat(status.position()).isEqualTo(new StatePosition(1, 1));
    assertThat(status.nodes()).isEqualTo(new ClusterStatus.Nodes(3, 3, true));
    assertThat(status.errors()).isEqualTo(new ClusterStatus.Errors(null, Map.of()));
  }

  @Test
  void askEachNodeAboutItselfWhenNodesInfoIsForbidden() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    nodes.forEach(node -> node.refusesInfoOfOthers = true);

    follow("127.0.0.1:9301");
    nextWhere(seen -> List.of("n0", "n1", "n2").stream().allMatch(id -> httpKnown(seen, id)));

    assertThat(nodes).allMatch(node -> node.count("own-info") > 0);
  }

  @Test
  void reportUnusableBeforeAnyNodeAnswers() throws Exception {
    ClusterFollower follower = follow("127.0.0.1:9999", "no-such-host.invalid:9300");
    await(() -> follower.status().errors().lastError() != null);

    assertThat(follower.status().isUsable()).isFalse();
    assertThat(follower.status().errors().lastError())
        .contains("no-such-host.invalid:9300: host name has no address", "9999: refused");
    assertThat(follower.current().nodes()).isEmpty();

    cluster.startAll(state(1, 1));
    cluster.start(
        new DiscoveryNode(
            "late", new TransportAddress(InetAddress.getLoopbackAddress(), 9999), Version.CURRENT),
        state(1, 1));
    assertThat(next().nodes()).hasSize(3);
    await(() -> follower.status().errors().lastError() == null);
  }

  @Test
  void readsTheWholeStateOnlyWhenItChanged() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    follow("127.0.0.1:9301");
    await(() -> sum(nodes, "term") > 20);

    assertThat(sum(nodes, "whole")).isEqualTo(1);

    ClusterState next = state(1, 2);
    nodes.forEach(node -> node.apply(next));
    nextWhere(view -> view.state().version() == 2);
    long asked = sum(nodes, "term");
    await(() -> sum(nodes, "term") > asked + 20);
    assertThat(sum(nodes, "whole")).isEqualTo(2);
  }

  @Test
  void takesOtherAttributesWhileItFollows() throws Exception {
    cluster.startAll(state(1, 1));
    ClusterFollower follower = follow("127.0.0.1:9301");
    nextWhere(view -> view.nodes().size() == 3);

    follower.setAttributes(Map.of("zone", "b"));
    ClusterView view = nextWhere(seen -> zone(seen).equals("b"));

    assertThat(view.nodes()).hasSize(3);
    assertThat(view.state().nodes().getSize()).isEqualTo(4);
    assertThat(view.state().version()).isEqualTo(1);
    follower.setAttributes(Map.of());
    nextWhere(seen -> zone(seen).isEmpty());
  }

  private static String zone(ClusterView view) {
    return view.state().nodes().getLocalNode().getAttributes().getOrDefault("zone", "");
  }

  @Test
  void goesOnAfterADefect() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    follow("127.0.0.1:9301");
    await(() -> sum(nodes, "term") > 0 && sum(nodes, "await") > 0);
    for (FakeSeedClient node : nodes) {
      node.defects.put(GetTermVersionAction.NAME, new StackOverflowError());
      node.defects.put(ClusterStateAction.NAME, new StackOverflowError());
    }
    await(() -> nodes.stream().anyMatch(node -> node.defects.size() < 2));

    nodes.forEach(node -> node.apply(state(1, 2)));

    nextWhere(view -> view.state().version() == 2);
    long waits = sum(nodes, "await");
    nodes.forEach(node -> node.apply(state(1, 3)));
    await(() -> sum(nodes, "await") > waits);
  }

  @Test
  void hearsOfMetadataWithoutWaitingForTheNextLook() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    ClusterFollower follower =
        start(
            new ClusterFollowerOptions(
                new SeedHosts(List.of("127.0.0.1:9301")),
                null,
                Duration.ofHours(1),
                new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
                Map.of()));
    await(() -> sum(nodes, "await") > 0);

    ClusterState next = state(1, 2);
    nodes.forEach(node -> node.apply(next));

    nextWhere(view -> view.state().version() == 2);
    assertThat(follower.current().state().version()).isEqualTo(2);
  }

  @Test
  void keepsTheLastViewWhenAllNodesAreLostAndFindsThemAgain() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    ClusterFollower follower = follow("127.0.0.1:9301");
    next();
    nodes.forEach(node -> node.up = false);
    await(() -> follower.status().errors().lastError() != null);

    assertThat(follower.current().state().metadata().hasIndex("logs")).isTrue();
    assertThat(follower.status().isUsable()).isTrue();
    assertThat(follower.status().nodes().connected()).isZero();
    assertThat(follower.status().errors().lastError()).contains("no node answers");

    ClusterState next = state(2, 5);
    nodes.get(2).apply(next); // not a seed: known from the state alone
    nodes.get(2).up = true;
    nextWhere(view -> view.state().version() == 5);
    await(() -> follower.status().errors().lastError() == null);
  }

  @Test
  void refusesASeedOfAnotherCluster() throws Exception {
    cluster.startAll(state(1, 1));
    ClusterStates other = ClusterStates.ofNodes(1);
    other.metadata().clusterUUID("another-uuid");
    cluster.start(
        new DiscoveryNode(
            "stranger",
            new TransportAddress(InetAddress.getLoopbackAddress(), 9999),
            Version.CURRENT),
        other.build(9, 999));

    ClusterFollower follower = follow("127.0.0.1:9301", "127.0.0.1:9999");
    next();
    await(() -> !follower.status().errors().rejectedSeeds().isEmpty());

    String followed = follower.current().state().metadata().clusterUUID();
    String refused = followed.equals("another-uuid") ? ClusterStates.CLUSTER_UUID : "another-uuid";
    assertThat(follower.status().errors().rejectedSeeds().values())
        .allSatisfy(said ->
            assertThat(said)
                .contains("got cluster test with uuid " + refused)
                .contains("(expected: uuid " + followed + ")"));
  }

  @Test
  void followsNoOtherClusterThanTheConfiguredOne() throws Exception {
    cluster.startAll(state(1, 1));

    ClusterFollower follower =
        start(
            new ClusterFollowerOptions(
                new SeedHosts(List.of("127.0.0.1:9301")),
                "wanted-uuid",
                Duration.ofMillis(10),
                new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
                Map.of()));
    await(() -> !follower.status().errors().rejectedSeeds().isEmpty());

    assertThat(follower.status().isUsable()).isFalse();
    assertThat(follower.status().errors().rejectedSeeds())
        .containsExactly(
            Map.entry(
                "127.0.0.1:9301",
                "got cluster test with uuid cluster-uuid (expected: uuid wanted-uuid)"));
  }

  @Test
  void doesNotGoBackToTheStateOfALaggingNode() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 5));
    ClusterFollower follower = follow("127.0.0.1:9301");
    next();
    nodes.get(1).apply(state(1, 3));
    long before = nodes.get(1).count("term");
    await(() -> nodes.get(1).count("term") > before + 3);

    assertThat(follower.current().state().version()).isEqualTo(5);

    nodes.get(0).up = false;
    nodes.get(2).up = false;
    await(() -> {
      String error = follower.status().errors().lastError();
      return error != null && error.contains("lag behind");
    });
    assertThat(follower.current().state().version()).isEqualTo(5);
  }

  @Test
  void asksFrozenNodesLast() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    follow("127.0.0.1:9301");
    next();
    nodes.get(0).frozen = true; // the cluster manager
    nodes.get(1).frozen = true;
    await(() -> nodes.get(1).count("frozen") > 0);
    long before = nodes.get(2).count("term");
    await(() -> nodes.get(2).count("term") > before + 15);
    ClusterState next = state(1, 2);
    nodes.forEach(node -> node.apply(next));
    nextWhere(view -> view.state().version() == 2);

    assertThat(nodes.get(1).count("frozen")).isLessThan(10);
  }

  @Test
  void showsWhenTheClusterManagerIsLost() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 5));
    ClusterFollower follower = follow("127.0.0.1:9301");
    next();
    ClusterState elected = state(1, 5);
    ClusterState leaderless =
        ClusterState.builder(elected)
            .nodes(DiscoveryNodes.builder(elected.nodes()).clusterManagerNodeId(null))
            .blocks(
                ClusterBlocks.builder()
                    .addGlobalBlock(NoClusterManagerBlockService.NO_CLUSTER_MANAGER_BLOCK_WRITES))
            .build();
    nodes.forEach(node -> node.apply(leaderless));
    nextWhere(view -> view.state().nodes().getClusterManagerNodeId() == null);

    assertThat(follower.status().nodes().hasClusterManager()).isFalse();
    assertThat(follower.current().state().blocks().global()).isNotEmpty();

    nodes.forEach(node -> node.apply(elected));
    nextWhere(view -> view.state().nodes().getClusterManagerNodeId() != null);
    assertThat(follower.current().state().blocks().global()).isEmpty();
  }

  @Test
  void believesTheMajorityAboutTheClusterManager() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 5));
    ClusterFollower follower = follow("127.0.0.1:9301");
    next();
    ClusterState elected = state(1, 5);
    nodes
        .get(2)
        .apply(
            ClusterState.builder(elected)
                .nodes(DiscoveryNodes.builder(elected.nodes()).clusterManagerNodeId(null))
                .build());
    long before = nodes.get(2).count("nodes");
    await(() -> nodes.get(2).count("nodes") > before + 3);

    assertThat(follower.status().nodes().hasClusterManager()).isTrue();
  }

  @Test
  void shareOneReadAmongConcurrentRefreshes() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    ClusterFollower follower =
        start(
            new ClusterFollowerOptions(
                new SeedHosts(List.of("127.0.0.1:9301")),
                null,
                Duration.ofHours(1),
                new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
                Map.of()));
    ClusterView stale = nextWhere(seen -> httpKnown(seen, "n2"));
    long before = sum(nodes, "whole");
    Settings persistent = Settings.builder().put("search.max_buckets", 7).build();
    ClusterState next =
        ClusterState.builder(state(1, 2))
            .metadata(
                Metadata.builder(state(1, 1).metadata()) // same metadata version: no other way
                    .persistentSettings(persistent))
            .build();
    nodes.forEach(node -> node.apply(next));

    List<ClusterView> answers =
        List.of(follower.refresh(stale), follower.refresh(stale), follower.refresh(stale)).stream()
            .map(answer -> answer.toCompletableFuture().orTimeout(10, SECONDS).join())
            .toList();

    assertThat(answers)
        .allSatisfy(view -> {
          assertThat(view.state().version()).isEqualTo(2);
          assertThat(view.settings().search().maxBuckets()).isEqualTo(7);
        });
    assertThat(sum(nodes, "whole")).isEqualTo(before + 1);
  }

  @Test
  void answerARefreshWithTheOldViewWithoutANode() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    ClusterFollower follower = follow("127.0.0.1:9301");
    ClusterView stale = next();
    nodes.forEach(node -> node.up = false);

    ClusterView same = follower.refresh(stale).toCompletableFuture().orTimeout(10, SECONDS).join();

    assertThat(same.state().version()).isEqualTo(1);
  }

  @Test
  void asksForTheListOfNodesWhereInternalActionsAreRefused() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    nodes.forEach(node -> node.refusesInternal = true);
    follow("127.0.0.1:9301");
    next();
    await(() -> sum(nodes, "nodes") > 20);

    assertThat(sum(nodes, "term")).isLessThanOrEqualTo(1);
    ClusterState next = state(1, 2);
    nodes.forEach(node -> node.apply(next));
    nextWhere(view -> view.state().version() == 2);
  }

  @Test
  void takesSettingsThatTheNodesFilesAgreeOn() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    Settings file =
        Settings.builder()
            .put("search.max_buckets", 11)
            .putList("cluster.routing.allocation.awareness.attributes", "zone")
            .put("path.home", "/somewhere")
            .build();
    nodes.forEach(node -> node.settings = file);

    follow("127.0.0.1:9301");
    ClusterView view = nextWhere(seen -> httpKnown(seen, "n0"));

    assertThat(view.settings().search().maxBuckets()).isEqualTo(11);
    assertThat(view.settings().effective().keySet()).doesNotContain("path.home");
  }

  @Test
  void asksAgainForARestAddressThatWasNotBoundYet() throws Exception {
    List<FakeSeedClient> nodes = cluster.startAll(state(1, 1));
    nodes.forEach(node -> node.restBound = false);
    ClusterFollower follower = follow("127.0.0.1:9301");
    await(() -> nodes.stream().anyMatch(node -> node.count("info") > 0));
    assertThat(httpKnown(follower.current(), "n2")).isFalse();

    nodes.forEach(node -> node.restBound = true);

    await(() -> httpKnown(follower.current(), "n2"));
  }

  @Test
  void readsAroundPartsThatItDoesNotKnow() throws Exception {
    ClusterState known = PartialStateReaderTest.rich();
    List<FakeSeedClient> nodes =
        cluster.startAll(PartialStateReaderTest.withUnknown(known, "plugin-part"));

    ClusterFollower follower = follow("127.0.0.1:9301");
    ClusterView view = next();

    assertThat(view.isPartial()).isTrue();
    assertThat(follower.status().unknownParts()).isNotEmpty();
    assertThat(view.state().metadata().indices().keySet())
        .isEqualTo(known.metadata().indices().keySet());
    assertThat(sum(nodes, "whole")).isEqualTo(1);

    ClusterState healed =
        ClusterState.builder(known)
            .version(known.version() + 1)
            .metadata(Metadata.builder(known.metadata()).version(known.version() + 1))
            .build();
    nodes.forEach(node -> node.apply(healed));
    assertThat(nextWhere(seen -> !seen.isPartial()).state().version()).isEqualTo(healed.version());
    await(() -> follower.status().unknownParts().equals(Set.of()));
  }

  private static boolean httpKnown(ClusterView view, String node) {
    return view.nodes().containsKey(node) && view.nodes().get(node).http() != null;
  }

  private static ClusterState state(long term, long version) {
    return ClusterStates.ofNodes(3).index("logs", 2, 1).build(term, version);
  }

  private ClusterFollower follow(String... seeds) {
    return start(
        new ClusterFollowerOptions(
            new SeedHosts(List.of(seeds)),
            null,
            Duration.ofMillis(10),
            new ClusterFollowerOptions.GatewayIdentity("weir", Map.of()),
            Map.of()));
  }

  private ClusterFollower start(ClusterFollowerOptions options) {
    ClusterFollower follower =
        new ClusterFollower(
            options,
            cluster,
            REGISTRIES,
            System::nanoTime,
            TestSeed.random(ClusterFollowerTest.class));
    open = follower;
    follower.addListener((before, now) -> heard.add(now));
    follower.start();
    return follower;
  }

  private ClusterView next() throws InterruptedException {
    return nextWhere(view -> true);
  }

  private ClusterView nextWhere(java.util.function.Predicate<ClusterView> wanted)
      throws InterruptedException {
    while (true) {
      ClusterView view = heard.poll(20, SECONDS);
      assertThat(view).as("a view like this within 20 s").isNotNull();
      if (wanted.test(view)) {
        return view;
      }
    }
  }

  private static long sum(List<FakeSeedClient> nodes, String what) {
    return nodes.stream().mapToLong(node -> node.count(what)).sum();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("condition within 20 s").isLessThan(deadline);
      Thread.sleep(5);
    }
  }
}
