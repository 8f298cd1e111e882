package dev.weir.core.actions.contexts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterStates;
import dev.weir.model.PassThroughException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.ExceptionsHelper;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;

class PitIdParserTest {
  private static final NamedWriteableRegistry WRITEABLES = new NamedWriteableRegistry(List.of());
  private static final Metadata SMALL = metadata(1);

  private static Metadata metadata(int shards) {
    return ClusterStates.ofNodes(1).index("logs", shards, 0).view().state().metadata();
  }

  private static String id(String index, int contexts, @Nullable String cluster) {
    List<SearchPhaseResult> results = new ArrayList<>();
    for (int shard = 0; shard < contexts; shard++) {
      SearchShardTarget target =
          new SearchShardTarget(
              "n0", new ShardId(index, "uuid", shard), cluster, OriginalIndices.NONE);
      QuerySearchResult result =
          new QuerySearchResult(new ShardSearchContextId("session", shard), target, null);
      result.setSearchShardTarget(target);
      results.add(result);
    }
    return SearchContextId.encode(results, Map.of(), Version.CURRENT);
  }

  @Test
  void rejectAForgedIdOfManyContexts() {
    List<String> forged = List.of(id("logs", 1001, null));

    assertThatThrownBy(() -> PitIdParser.parseAll(WRITEABLES, forged, SMALL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot parse point in time id: got 1001 search contexts (expected: at most 1000)")
        .satisfies(thrown ->
            assertThat(ExceptionsHelper.status(thrown)).isEqualTo(RestStatus.BAD_REQUEST));
  }

  @Test
  void acceptAsManyContextsAsTheClusterMayHaveShards() {
    String large = id("logs", 1200, null);

    assertThat(PitIdParser.parseAll(WRITEABLES, List.of(large), metadata(600)))
        .containsOnlyKeys(large)
        .hasEntrySatisfying(large, contexts -> assertThat(contexts.shards()).hasSize(1200));
  }

  @Test
  void rejectAForgedIdThatIsTooLongForItsContexts() {
    String name = "x".repeat(1500);
    List<String> forged = List.of(id(name, 1000, null));

    assertThatThrownBy(() -> PitIdParser.parseAll(WRITEABLES, forged, SMALL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("for 1000 search contexts (expected: at most 1048576)");
    List<String> fewContexts = List.of(id(name, 500, null));
    assertThat(PitIdParser.parseAll(WRITEABLES, fewContexts, SMALL)).hasSize(1);
  }

  @Test
  void acceptTheLongestIndexNamesWhateverTheNumberOfContexts() {
    List<String> large = List.of(id("x".repeat(255), 4000, null));
    Metadata metadata =
        ClusterStates.ofNodes(1)
            .index("logs-1", 1000, 0)
            .index("logs-2", 1000, 0)
            .view()
            .state()
            .metadata();

    assertThat(large.getFirst().length())
        .as("more than 1 MB for 1000 contexts")
        .isGreaterThan(1 << 20);
    assertThat(PitIdParser.parseAll(WRITEABLES, large, metadata)).hasSize(1);
  }

  @Test
  void passManyIdsThroughThatTogetherNameTooManyContexts() {
    String one = id("a", 500, null);
    String other = id("b", 500, null);
    String further = id("c", 1, null);

    assertThat(PitIdParser.parseAll(WRITEABLES, List.of(one, other, one), SMALL).keySet())
        .as("a repeated id counts once")
        .containsExactly(one, other);
    assertThatThrownBy(() -> PitIdParser.parseAll(WRITEABLES, List.of(one, other, further), SMALL))
        .isInstanceOf(PassThroughException.class)
        .hasMessage("costly-body");
  }

  @Test
  void passIdsOfOtherClustersThrough() {
    String id = id("logs", 2000, "other");

    assertThatThrownBy(() -> PitIdParser.parse(WRITEABLES, id))
        .isInstanceOf(PassThroughException.class)
        .hasMessage("cross-cluster");
    assertThatThrownBy(() -> PitIdParser.parseAll(WRITEABLES, List.of(id), SMALL))
        .isInstanceOf(PassThroughException.class);
  }

  @Test
  void rejectWhatIsNoId() {
    assertThatThrownBy(() -> PitIdParser.parseAll(WRITEABLES, List.of("no id"), SMALL))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
