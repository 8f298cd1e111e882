package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.BlockingNodeCaller;
import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGeneration;
import dev.weir.cluster.generation.ReaderGenerationsQuestion;
import dev.weir.cluster.generation.ReaderTimes;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.plugin.PluginPlacements;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** The generation of a copy changes when, and only when, a search on it could answer otherwise. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReaderGenerationsIT {
  private static final String NAME = "reader-generations";
  private static final BlockingNodeCaller CALLS = new BlockingNodeCaller(Map.of());

  private final DataNodeCluster nodes = SharedCluster.get();
  private final RestClient rest = nodes.rest();
  private final FollowedCluster followed = new FollowedCluster(nodes.seeds(), TestBed.registries());

  @BeforeAll
  static void needThePlugin() {
    PluginPlacements.assumeOnAllNodes();
  }

  @AfterEach
  void delete() {
    rest.send("DELETE", "/" + NAME);
  }

  @AfterAll
  void close() {
    followed.close();
  }

  @Test
  void changesWithWhatASearchSees() throws Exception {
    create(1, "\"refresh_interval\": -1");
    Map<String, CopyReader> empty = generations();
    assertThat(empty).hasSize(2);
    assertThat(empty.values()).allMatch(copy -> copy.ranges().get(0) == null);
    send("PUT", "_doc/1", "{\"time\": 20}");
    assertThat(generations()).as("nobody sees the document yet").isEqualTo(empty);
    send("POST", "_refresh", "");
    Map<String, CopyReader> first = generations();
    assertAllChanged(empty, first);
    assertThat(first.values()).allMatch(copy -> new ReaderTimes(20, 20).equals(range(copy)));
    send("POST", "_refresh", "");
    send("POST", "_search", "{\"query\": {\"match_all\": {}}}");
    assertThat(generations()).as("nothing has changed").isEqualTo(first);

    send("PUT", "_doc/2", "{\"time\": [5, 30]}");
    send("POST", "_refresh", "");
    Map<String, CopyReader> second = generations();
    assertAllChanged(first, second);
    assertThat(second.values()).allMatch(copy -> new ReaderTimes(5, 30).equals(range(copy)));
    send("DELETE", "_doc/2", "");
    send("POST", "_refresh", "");
    Map<String, CopyReader> third = generations();
    assertAllChanged(second, third);

    send("PUT", "_mapping", "{\"properties\": {\"more\": {\"type\": \"keyword\"}}}");
    Map<String, CopyReader> mapped = awaitGenerations();
    assertAllChanged(third, mapped);
    send("PUT", "_settings", "{\"index.max_result_window\": 20000}");
    Map<String, CopyReader> set = awaitGenerations();
    assertAllChanged(mapped, set);
    rest.send("PUT", "/another-" + NAME, "{}").orThrow();
    rest.send("DELETE", "/another-" + NAME).orThrow();
    assertThat(generations()).as("changes of other indices").isEqualTo(set);
  }

  @Test
  void hasNoneWhileARefreshIsPostponed() throws Exception {
    create(0, "\"index.search.idle.after\": \"0s\"");
    send("PUT", "_doc/1?refresh=true", "{\"time\": 20}");
    CopyReader before = Await.untilValue("a generation", this::only, Objects::nonNull);
    send("PUT", "_doc/2", "{\"time\": 30}");
    // The next scheduled refresh is postponed to the next search.
    assertThat(Await.untilValue("another answer", this::only, now -> !before.equals(now))).isNull();
    CopyReader after = Await.untilValue("a generation", this::only, Objects::nonNull);
    assertThat(after.generation()).isNotEqualTo(before.generation());
    assertThat(range(after)).isEqualTo(new ReaderTimes(20, 30));
  }

  @Test
  void changesOnReplicasThatGetSegments() throws Exception {
    create(1, "\"replication.type\": \"SEGMENT\"");
    Map<String, CopyReader> before = generations();
    assertThat(before).hasSize(2);
    send("PUT", "_doc/1", "{\"time\": 20}");
    send("POST", "_refresh", "");
    Map<String, CopyReader> after =
        Await.untilValue(
            "the document on both copies",
            this::generations,
            copies ->
                copies.size() == 2
                    && copies.values().stream().allMatch(copy -> range(copy) != null));
    assertAllChanged(before, after);
    assertThat(generations()).isEqualTo(after);
  }

  @Test
  void changesWithTheCopyAndWhenTheIndexWasClosed() throws Exception {
    create(0, "\"refresh_interval\": -1");
    send("PUT", "_doc/1?refresh=true", "{\"time\": 20}");
    Map<String, CopyReader> first = awaitGenerations();
    String from = first.keySet().iterator().next();
    DataNode target =
        nodes.nodes().stream().filter(node -> !node.id().equals(from)).findFirst().orElseThrow();
    rest.send(
            "POST",
            "/_cluster/reroute",
            "{\"commands\": [{\"move\": {\"index\": \"%s\", \"shard\": 0, \"from_node\": \"%s\", \"to_node\": \"%s\"}}]}"
                .formatted(NAME, from, target.id()))
        .orThrow();
    Map<String, CopyReader> moved =
        Await.untilValue(
            "the copy at its new node",
            this::generations,
            copies -> copies.keySet().equals(Set.of(target.id())));
    assertThat(generationsOf(moved)).doesNotContainAnyElementsOf(generationsOf(first));

    send("POST", "_close", "");
    assertThat(generations()).isEmpty();
    send("POST", "_open", "");
    Map<String, CopyReader> opened = awaitGenerations();
    assertAllChanged(moved, opened);
    assertThat(range(opened.values().iterator().next())).isEqualTo(new ReaderTimes(20, 20));
  }

  private void create(int replicas, String setting) throws Exception {
    rest.send(
            "PUT",
            "/" + NAME + "?wait_for_active_shards=all",
            "{\"settings\": {\"number_of_shards\": 1, \"number_of_replicas\": %d, %s}, \"mappings\": {\"properties\": {\"time\": {\"type\": \"date\"}}}}"
                .formatted(replicas, setting))
        .orThrow();
    followed.await(view -> view.state().metadata().index(NAME) != null);
  }

  private void send(String method, String path, String body) {
    rest.send(method, "/" + NAME + "/" + path, body).orThrow();
  }

  private static @Nullable ReaderTimes range(CopyReader copy) {
    return copy.ranges().getFirst();
  }

  private @Nullable CopyReader only() {
    return generations().values().stream().findFirst().orElse(null);
  }

  /** Waits until the nodes have applied the last state. */
  private Map<String, CopyReader> awaitGenerations() {
    return Await.untilValue("a generation", this::generations, copies -> !copies.isEmpty());
  }

  /** Returns the answers for shard 0, by node; without those nodes that have none. */
  private Map<String, CopyReader> generations() {
    Index index =
        Objects.requireNonNull(followed.follower().current().state().metadata().index(NAME))
            .getIndex();
    Map<String, CopyReader> answers = new TreeMap<>();
    for (DataNode node : nodes.nodes()) {
      CopyReader answer = ask(node.id(), new ShardId(index, 0));
      if (answer != null) {
        answers.put(node.id(), answer);
      }
    }
    return answers;
  }

  private @Nullable CopyReader ask(String nodeId, ShardId shard) {
    NodeClient client = Objects.requireNonNull(followed.clients().byId(nodeId));
    ShardId other = new ShardId("none", "no-uuid", 3);
    ReaderGenerationsQuestion question =
        new ReaderGenerationsQuestion(List.of(other, shard), List.of("time", "none"));
    try {
      Map<ShardId, CopyReader> answers =
          CALLS.call(
              client,
              ReaderGenerationsQuestion.ACTION,
              question,
              question::readAnswer,
              Duration.ofSeconds(30));
      assertThat(answers).doesNotContainKey(other);
      return answers.get(shard);
    } catch (NodeCallException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  private static List<ReaderGeneration> generationsOf(Map<String, CopyReader> copies) {
    return copies.values().stream().map(CopyReader::generation).toList();
  }

  private static void assertAllChanged(
      Map<String, CopyReader> before, Map<String, CopyReader> after) {
    assertThat(after).hasSameSizeAs(before).containsOnlyKeys(before.keySet());
    assertThat(generationsOf(after)).doesNotContainAnyElementsOf(generationsOf(before));
  }
}
