package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.coordinate.batch.PartialReduction.Part;
import dev.weir.core.coordinate.batch.PartialReductionCounts;
import dev.weir.core.coordinate.batch.PartialReductionSupport;
import dev.weir.core.reduce.round.SearchScope.IndexFilters;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.script.Script;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.rescore.QueryRescorerBuilder;
import org.opensearch.search.sort.ScriptSortBuilder.ScriptSortType;
import org.opensearch.search.sort.SortBuilders;
import org.opensearch.search.suggest.SuggestBuilder;
import org.opensearch.search.suggest.SuggestBuilders;

/** Which searches nodes may leave hits out of. */
class PartialReductionPlannerTest {
  private static final NodeCapabilities ALL = (nodeId, capability) -> true;

  private static @Nullable PartialReduction plan(SearchRequest request, int shards) {
    return plan(
        request,
        IntStream.range(0, shards).mapToObj(i -> new ShardId("i", "uuid-of-i", i)).toList(),
        ClusterStates.ofNodes(2).index("i", 3, 0).build(1, 1),
        ALL);
  }

  private static @Nullable PartialReduction plan(
      SearchRequest request, List<ShardId> shards, ClusterState state, NodeCapabilities nodes) {
    OriginalIndices indices =
        new OriginalIndices(new String[] {"i"}, IndicesOptions.strictExpandOpen());
    SearchScope scope =
        new SearchScope(
            request,
            shards.stream().map(id -> new ShardScope(id, indices, null, null)).toList(),
            new IndexFilters(Map.of(), Map.of(), Map.of()),
            state);
    return PartialReductionPlanner.plan(
        scope, new PartialReductionSupport(nodes, new PartialReductionCounts()));
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

  private static Set<Part> parts(Consumer<SearchSourceBuilder> change) {
    PartialReduction planned = plan(change);
    return planned == null ? Set.of() : planned.parts();
  }

  @Test
  void reducesHitsByFields() {
    assertThat(parts(source -> source.sort("n"))).containsExactly(Part.HITS_BY_FIELDS);
    assertThat(parts(source -> source.sort("_score").sort("n").searchAfter(new Object[] {1, 2})))
        .containsExactly(Part.HITS_BY_FIELDS);
    assertThat(hits(plan(source -> source.sort("n").from(3).size(4)))).isEqualTo(7);
  }

  private static TermsAggregationBuilder terms() {
    return AggregationBuilders.terms("t").field("t");
  }

  @Test
  void mergesAggregationsThatAnyOrderGivesTheSameBits() {
    AggregationBuilder nested =
        terms()
            .order(BucketOrder.aggregation("m", true))
            .subAggregation(AggregationBuilders.max("m").field("n"))
            .subAggregation(
                AggregationBuilders.dateHistogram("d")
                    .field("d")
                    .fixedInterval(DateHistogramInterval.DAY)
                    .subAggregation(AggregationBuilders.min("n").field("n"))
                    .subAggregation(AggregationBuilders.count("c").field("n")));
    AggregationBuilder numbers = AggregationBuilders.histogram("h").field("n").interval(2);
    assertThat(parts(source -> source.aggregation(nested).aggregation(numbers)))
        .containsExactlyInAnyOrder(Part.HITS_BY_SCORE, Part.AGGREGATIONS);
    assertThat(hits(plan(source -> source.aggregation(terms()).size(0)))).isZero();
    assertThat(parts(source -> source.aggregation(terms()).sort("n")))
        .containsExactlyInAnyOrder(Part.HITS_BY_FIELDS, Part.AGGREGATIONS);
    assertThat(parts(source -> source.aggregation(terms()).collapse(new CollapseBuilder("n"))))
        .containsExactly(Part.AGGREGATIONS);
  }

  @Test
  void leavesOtherAggregationsToTheGateway() {
    List<AggregationBuilder> others =
        List.of(
            AggregationBuilders.sum("s").field("n"),
            AggregationBuilders.avg("a").field("n"),
            AggregationBuilders.stats("s").field("n"),
            AggregationBuilders.cardinality("c").field("n"),
            terms().showTermDocCountError(true),
            terms().minDocCount(0),
            terms().script(new Script("1")),
            terms().subAggregation(AggregationBuilders.sum("s").field("n")),
            terms().subAggregation(PipelineAggregatorBuilders.bucketSort("b", null)));
    for (AggregationBuilder other : others) {
      assertThat(parts(source -> source.aggregation(other)))
          .as(other.toString())
          .containsExactly(Part.HITS_BY_SCORE);
    }
    assertThat(parts(source -> source.size(0).aggregation(AggregationBuilders.sum("s").field("n"))))
        .isEmpty();
    SearchRequest batched =
        new SearchRequest("i").source(new SearchSourceBuilder().size(0).aggregation(terms()));
    batched.setBatchedReduceSize(2);
    assertThat(plan(batched, 3)).as("reduced twice").isNull();
    assertThat(plan(batched, 2)).isNotNull();
  }

  private static UnaryOperator<IndexMetadata.Builder> mapped(String type) {
    return index -> {
      try {
        return index.putMapping("{\"_doc\":{\"properties\":{\"n\":{\"type\":\"" + type + "\"}}}}");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  @Test
  void comparesValuesOfTheSameFieldsAlone() {
    ClusterState state =
        ClusterStates.ofNodes(1)
            .index("a", 1, 0, mapped("long"))
            .index("b", 1, 0, mapped("long"))
            .index("c", 1, 0, mapped("double"))
            .build(1, 1);
    ShardId a = new ShardId("a", "uuid-of-a", 0);
    ShardId b = new ShardId("b", "uuid-of-b", 0);
    ShardId other = new ShardId("c", "uuid-of-c", 0);
    ShardId deleted = new ShardId("d", "uuid-of-d", 0);
    SearchRequest sorted = new SearchRequest("i").source(new SearchSourceBuilder().sort("n"));
    SearchRequest counted =
        new SearchRequest("i").source(new SearchSourceBuilder().size(0).aggregation(terms()));
    assertThat(plan(sorted, List.of(a, b), state, ALL)).isNotNull();
    assertThat(plan(counted, List.of(a, b), state, ALL)).isNotNull();
    for (ShardId third : List.of(other, deleted)) {
      assertThat(plan(sorted, List.of(a, b, third), state, ALL)).isNull();
      assertThat(plan(counted, List.of(a, third), state, ALL)).isNull();
    }
    assertThat(hits(plan(new SearchRequest("i"), List.of(a, other), state, ALL)))
        .as("by score")
        .isEqualTo(10);
  }

  /** A node without a capability can still be asked for the rest. */
  @Test
  void plansForWhatANodeOfTheShardsCanDo() {
    ClusterState state =
        ClusterStates.ofNodes(3).index("i", 2, 0, mapped("long")).build(1, 1); // on n0 and n1
    List<ShardId> shards =
        List.of(new ShardId("i", "uuid-of-i", 0), new ShardId("i", "uuid-of-i", 1));
    SearchRequest plain = new SearchRequest("i");
    SearchRequest sorted = new SearchRequest("i").source(new SearchSourceBuilder().sort("n"));
    SearchRequest counted =
        new SearchRequest("i").source(new SearchSourceBuilder().aggregation(terms()));
    for (SearchRequest request : List.of(plain, sorted, counted)) {
      assertThat(plan(request, shards, state, NodeCapabilities.NONE)).isNull();
      assertThat(plan(request, shards, state, (node, capability) -> node.equals("n2")))
          .as("no shard is there")
          .isNull();
      assertThat(plan(request, shards, state, (node, capability) -> node.equals("n1"))).isNotNull();
      assertThat(
              plan(
                  request,
                  shards,
                  state,
                  (node, capability) -> capability != Capability.SHARD_BATCHES))
          .isNull();
    }
    NodeCapabilities earlier =
        (node, capability) ->
            capability == Capability.SHARD_BATCHES || capability == Capability.PARTIAL_REDUCTION;
    assertThat(plan(sorted, shards, state, earlier)).isNull();
    PartialReduction byScore = plan(counted, shards, state, earlier);
    assertThat(byScore == null ? Set.of() : byScore.parts()).containsExactly(Part.HITS_BY_SCORE);
  }

  @Test
  void leavesOutNothingThatTheResponseMayNeed() {
    List<Consumer<SearchSourceBuilder>> others =
        List.of(
            source -> source.sort(SortBuilders.scriptSort(new Script("1"), ScriptSortType.NUMBER)),
            source -> source.sort("n").size(2000),
            source -> source.sort("n").collapse(new CollapseBuilder("n")),
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
