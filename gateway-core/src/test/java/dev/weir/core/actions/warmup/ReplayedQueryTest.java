package dev.weir.core.actions.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.round.SearchScope;
import dev.weir.core.reduce.round.SearchScope.IndexFilters;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;

/** What is remembered of a search, and what a copy gets of it. */
class ReplayedQueryTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final AliasFilter FILTER =
      new AliasFilter(QueryBuilders.termQuery("tenant", "x"), "alias");

  private final SearchMemory memory = new SearchMemory(1 << 20);
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean allowed = new AtomicBoolean(true);
  private final RecentSearches recent = new RecentSearches(memory, nanos::get, allowed::get);

  ReplayedQueryTest() {
    recent.setMaxShapes(10);
  }

  private static SearchScope scope(SearchRequest request) {
    return scope(request, FILTER);
  }

  private static SearchScope scope(SearchRequest request, AliasFilter filter) {
    request.searchType(SearchType.QUERY_THEN_FETCH);
    request.allowPartialSearchResults(false);
    OriginalIndices indices = new OriginalIndices(request);
    return new SearchScope(
        request,
        List.of(
            new ShardScope(WarmUpStates.SHARD, indices, null, null),
            new ShardScope(new ShardId(WarmUpStates.INDEX, 1), indices, null, null)),
        new IndexFilters(
            Map.of(WarmUpStates.INDEX.getUUID(), filter),
            Map.of(WarmUpStates.INDEX.getUUID(), 2.5f),
            Map.of(WarmUpStates.INDEX.getName(), Set.of("r"))),
        ClusterState.EMPTY_STATE);
  }

  private static SearchRequest search(SearchSourceBuilder source) {
    return new SearchRequest("alias").source(source);
  }

  private ShardSearchRequest replay() throws IOException {
    return replay(true);
  }

  private ShardSearchRequest replay(boolean usesRequestCache) throws IOException {
    return ReplayedQuery.request(
        memory.searchesOf(WarmUpStates.INDEX).getFirst(),
        WarmUpStates.SHARD,
        REGISTRIES.writeables(),
        123,
        usesRequestCache);
  }

  @Test
  void aCountIsTheSameToTheRequestCache() throws IOException {
    SearchSourceBuilder source =
        new SearchSourceBuilder()
            .size(0)
            .query(QueryBuilders.rangeQuery("age").gte(7))
            .aggregation(AggregationBuilders.terms("top").field("city"));
    SearchRequest request = search(source).requestCache(true);
    SearchScope scope = scope(request);
    recent.record(scope);
    ShardSearchRequest original =
        new ShardSearchRequest(
            new OriginalIndices(request),
            request,
            WarmUpStates.SHARD,
            2,
            FILTER,
            2.5f,
            99,
            null,
            new String[] {"r"});
    ShardSearchRequest replayed = replay();
    assertThat(replayed.cacheKey()).isEqualTo(original.cacheKey());
    assertThat(replayed.getAliasFilter()).isEqualTo(FILTER);
    assertThat(replayed.numberOfShards()).as("fetches at once").isEqualTo(1);
    assertThat(replayed.nowInMillis()).isEqualTo(123);
    assertThat(replayed.requestCache()).isTrue();
    assertThat(replay(false).requestCache()).isFalse();
  }

  @Test
  void hitsAreFewAndTheOriginalStaysAsItIs() throws IOException {
    SearchSourceBuilder source = new SearchSourceBuilder().size(9000).from(500);
    recent.record(scope(search(source)));
    source.query(QueryBuilders.matchAllQuery()); // changed later: no part of what is remembered
    assertThat(replay().source().size()).isEqualTo(100);
    assertThat(replay().source().from()).isZero();
    assertThat(replay().source().query()).isNull();
    assertThat(source.size()).isEqualTo(9000);
  }

  @Test
  void theCallNamesItsTaskAndEnds() throws IOException {
    recent.record(scope(search(new SearchSourceBuilder())));
    NodeCall<Boolean> call =
        ReplayedQuery.create(
            memory.searchesOf(WarmUpStates.INDEX).getFirst(),
            WarmUpStates.SHARD,
            REGISTRIES.writeables(),
            1,
            true);
    assertThat(call.headers()).containsExactly(Map.entry("X-Opaque-Id", "weir-warm-up"));
    assertThat(call.timeout()).isPositive();
  }

  @Test
  void rememberFewSearchesOfATime() {
    for (int i = 0; i < 100; i++) {
      recent.record(scope(search(new SearchSourceBuilder().query(term(i)))));
    }
    assertThat(memory.size()).isEqualTo(1);
    recent.record(scope(search(new SearchSourceBuilder().size(0))));
    assertThat(memory.size()).as("another cost class").isEqualTo(2);
    nanos.addAndGet(Duration.ofMillis(20).toNanos());
    recent.record(scope(search(new SearchSourceBuilder().query(term(7)))));
    assertThat(memory.size()).isEqualTo(3);
  }

  private static QueryBuilder term(int value) {
    return QueryBuilders.termQuery("n", value);
  }

  @Test
  void rememberNothingThatCannotBeSentAgain() {
    recordNext(search(new SearchSourceBuilder().profile(true)));
    recordNext(search(new SearchSourceBuilder()).scroll(TimeValue.timeValueMinutes(1)));
    QueryBuilder large = QueryBuilders.termQuery("n", "x".repeat(20_000));
    recordNext(search(new SearchSourceBuilder().query(large)));
    allowed.set(false);
    recordNext(search(new SearchSourceBuilder()));
    allowed.set(true);
    recent.setMaxShapes(0);
    recordNext(search(new SearchSourceBuilder()));
    assertThat(memory.size()).isZero();
    recent.setMaxShapes(1);
    recordNext(search(new SearchSourceBuilder()));
    assertThat(memory.size()).isEqualTo(1);
    recent.setMaxShapes(0);
    assertThat(memory.size()).as("switched off").isZero();
  }

  @Test
  void countTheFilterOfAliases() {
    recordNext(new SearchSourceBuilder(), 20_000);
    recordNext(new SearchSourceBuilder().query(text(9000)), 9000);
    assertThat(memory.size()).as("beyond the bound").isZero();
    recordNext(new SearchSourceBuilder().query(text(6000)), 6000);
    assertThat(memory.size()).isEqualTo(1);
    assertThat(memory.bytes()).isBetween(12_000L, 13_000L);
  }

  private static QueryBuilder text(int length) {
    return QueryBuilders.termQuery("n", "x".repeat(length));
  }

  private void recordNext(SearchSourceBuilder source, int filterLength) {
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    recent.record(scope(search(source), new AliasFilter(text(filterLength), "alias")));
  }

  private void recordNext(SearchRequest request) {
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    recent.record(scope(request));
  }
}
