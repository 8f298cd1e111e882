package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.routing.traffic.NodeIdFinder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.common.UUIDs;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.index.query.TermQueryBuilder;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;

/** Finds the node ids in ids that OpenSearch's own classes create. */
final class NodeIdsOfOpenSearchTest {
  private static final List<Version> VERSIONS =
      List.of(Version.V_2_0_0, Version.V_2_19_0, Version.V_3_0_0, Version.CURRENT);

  private final List<String> blue = nodes();
  private final List<String> green = nodes();

  private static List<String> nodes() {
    return IntStream.range(0, 3)
        .mapToObj(i -> NodeEnvironment.generateNodeId(Settings.EMPTY))
        .toList();
  }

  private @Nullable String owner(String text) {
    return NodeIdFinder.<String>findOwner(
        text, node -> blue.contains(node) ? "blue" : green.contains(node) ? "green" : null);
  }

  /** Results of shards, of indices with names of any length. */
  private static List<SearchPhaseResult> shards(List<String> nodes, Random random) {
    List<SearchPhaseResult> results = new ArrayList<>();
    int shards = 1 + random.nextInt(30);
    for (int i = 0; i < shards; i++) {
      String index = "i".repeat(1 + random.nextInt(200));
      ShardId shard = new ShardId(index, UUIDs.randomBase64UUID(random), i);
      SearchShardTarget target =
          new SearchShardTarget(
              nodes.get(random.nextInt(nodes.size())), shard, null, OriginalIndices.NONE);
      QuerySearchResult result =
          new QuerySearchResult(
              new ShardSearchContextId(UUIDs.randomBase64UUID(random), random.nextLong()),
              target,
              null);
      result.setSearchShardTarget(target);
      results.add(result);
    }
    return results;
  }

  private static String scroll(List<SearchPhaseResult> shards, Version version) {
    AtomicArray<SearchPhaseResult> results = new AtomicArray<>(shards.size());
    for (int i = 0; i < shards.size(); i++) {
      results.set(i, shards.get(i));
    }
    String[] indices = {"logs-*", "abcdefghijklmnopqrstuv"};
    return SearchInternals.buildScrollId(results, indices, version);
  }

  @RepeatedTest(50)
  void findTheClusterOfAScroll(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    for (Version version : VERSIONS) {
      String id = scroll(shards(green, random), version);
      assertThat(owner("/_search/scroll/" + id)).isEqualTo("green");
      assertThat(owner("{\"scroll\":\"1m\",\"scroll_id\":\"" + id + "\"}")).isEqualTo("green");
      assertThat(
              owner(
                  "{\"scroll_id\":[\""
                      + scroll(shards(nodes(), random), version)
                      + "\",\n\""
                      + id
                      + "\"]}"))
          .as("behind one of nodes that nobody knows")
          .isEqualTo("green");
      assertThat(owner("/_search/scroll?scroll_id=" + scroll(shards(blue, random), version)))
          .isEqualTo("blue");
      assertThat(owner(scroll(shards(nodes(), random), version))).isNull();
    }
  }

  @RepeatedTest(50)
  void findTheClusterOfAPointInTime(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    for (Version version : VERSIONS) {
      AliasFilter filter = new AliasFilter(new TermQueryBuilder("a", "b"), "alias");
      List<SearchPhaseResult> shards = shards(blue, random);
      String index = shards.getFirst().getSearchShardTarget().getShardId().getIndex().getUUID();
      String id = SearchContextId.encode(shards, Map.of(index, filter), version);
      assertThat(owner("{\"query\":{},\"pit\":{\"id\":\"" + id + "\",\"keep_alive\":\"1m\"}}"))
          .isEqualTo("blue");
      assertThat(owner("{\"pit_id\":[\"" + id + "\"]}")).isEqualTo("blue");
      assertThat(owner(SearchContextId.encode(shards(nodes(), random), Map.of(), version)))
          .isNull();
    }
  }

  @Test
  void findTheClusterOfATask() {
    assertThat(owner("/_tasks/" + new TaskId(green.get(1), 4711))).isEqualTo("green");
    assertThat(owner("/_reindex/" + new TaskId(blue.get(2), 1) + "/_rethrottle?x=1"))
        .isEqualTo("blue");
    assertThat(owner("/_tasks/" + new TaskId(nodes().getFirst(), 1))).isNull();
  }

  @Test
  void matchTheLengthOfNodeIds() {
    assertThat(Arrays.asList(blue.getFirst(), green.getFirst()))
        .allSatisfy(id -> assertThat(id).hasSize(22));
  }
}
