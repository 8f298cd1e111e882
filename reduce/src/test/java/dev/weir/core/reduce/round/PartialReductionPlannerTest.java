package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.coordinate.batch.PartialReductionCounts;
import dev.weir.core.reduce.round.SearchScope.IndexFilters;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.rescore.QueryRescorerBuilder;
import org.opensearch.search.suggest.SuggestBuilder;
import org.opensearch.search.suggest.SuggestBuilders;

/** Which searches nodes may leave hits out of. */
class PartialReductionPlannerTest {
  private static @Nullable PartialReduction plan(SearchRequest request, int shards) {
    OriginalIndices indices =
        new OriginalIndices(new String[] {"i"}, IndicesOptions.strictExpandOpen());
    SearchScope scope =
        new SearchScope(
            request,
            IntStream.range(0, shards)
                .mapToObj(i -> new ShardScope(new ShardId("i", "u", i), indices, null, null))
                .toList(),
            new IndexFilters(Map.of(), Map.of(), Map.of()),
            ClusterState.EMPTY_STATE);
    return PartialReductionPlanner.plan(scope, new PartialReductionCounts());
  }

  private static @Nullable PartialReduction plan(Consumer<SearchSourceBuilder> change) {
    SearchSourceBuilder source =
        new SearchSourceBuilder().query(QueryBuilders.matchQuery("text", "a"));
    change.accept(source);
    return plan(new SearchRequest("i").source(source), 2);
  }

  private static int hits(@Nullable PartialReduction reduction) {
    return reduction == null ? -1 : reduction.maxHits();
  }

  @Test
  void countsTheHitsBeforeThePage() {
    assertThat(hits(plan(new SearchRequest("i"), 2))).isEqualTo(10);
    assertThat(hits(plan(source -> {}))).isEqualTo(10);
    assertThat(hits(plan(source -> source.from(20).size(7)))).isEqualTo(27);
    assertThat(hits(plan(source -> source.from(20)))).isEqualTo(30);
    assertThat(hits(plan(source -> source.trackTotalHits(true).minScore(1)))).isEqualTo(10);
    assertThat(hits(plan(source -> source.size(0)))).isEqualTo(-1);
    assertThat(hits(plan(source -> source.from(Integer.MAX_VALUE)))).isEqualTo(-1);
  }

  @Test
  void leavesOutNothingThatTheResponseMayNeed() {
    List<Consumer<SearchSourceBuilder>> others =
        List.of(
            source -> source.sort("n"),
            source -> source.sort("n").searchAfter(new Object[] {1}),
            source -> source.collapse(new CollapseBuilder("n")),
            source -> source.addRescorer(new QueryRescorerBuilder(QueryBuilders.matchAllQuery())),
            source ->
                source.suggest(
                    new SuggestBuilder()
                        .addSuggestion("s", SuggestBuilders.termSuggestion("text").text("a"))),
            source -> source.pointInTimeBuilder(new PointInTimeBuilder("pit")),
            source -> source.profile(true));
    for (Consumer<SearchSourceBuilder> other : others) {
      assertThat(plan(other)).isNull();
    }
    assertThat(plan(new SearchRequest("i").scroll(TimeValue.timeValueMinutes(1)), 2)).isNull();
    assertThat(plan(new SearchRequest("i").searchType(SearchType.DFS_QUERY_THEN_FETCH), 2))
        .isNull();
    assertThat(plan(new SearchRequest("i"), 1)).as("its node fetches at once").isNull();
  }
}
