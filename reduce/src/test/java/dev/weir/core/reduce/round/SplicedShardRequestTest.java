package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.index.query.MatchAllQueryBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchSortValuesAndFormats;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.fetch.subphase.highlight.HighlightBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.rescore.QueryRescorerBuilder;
import org.opensearch.search.slice.SliceBuilder;
import org.opensearch.search.sort.SortOrder;
import org.opensearch.search.suggest.SuggestBuilder;
import org.opensearch.search.suggest.SuggestBuilders;
import org.opensearch.transport.TransportRequest;

class SplicedShardRequestTest {
  private static final int REQUESTS = 400;
  private static final int SHARDS = 4;

  private final Random random = new Random(20);

  static Stream<Version> versions() {
    return Stream.of(Version.V_2_19_0, Version.V_3_0_0, Version.CURRENT);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void writeTheSameBytesAsOpenSearch(Version version) throws IOException {
    for (int n = 0; n < REQUESTS; n++) {
      ShardRequestFactory requests = new ShardRequestFactory(scope());
      if (random.nextBoolean()) {
        requests.onShardResponse();
      }
      for (int shard = 0; shard < SHARDS; shard++) {
        ShardSearchRequest own = requests.create(shard);
        own.setInboundNetworkTime(random.nextLong(1L << 50));
        own.setOutboundNetworkTime(random.nextLong(1L << 50));
        if (random.nextBoolean()) {
          own.setBottomSortValues(bottom());
        }
        TransportRequest spliced = requests.toWireRequest(shard, own);
        TaskId parent = random.nextBoolean() ? TaskId.EMPTY_TASK_ID : new TaskId("weir", n);
        own.setParentTask(parent);
        spliced.setParentTask(parent);

        assertThat(spliced.getClass())
            .isEqualTo(own.source() == null ? ShardSearchRequest.class : SplicedShardRequest.class);
        assertThat(bytes(spliced, version)).isEqualTo(bytes(own, version));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  void doesNotSpliceASourceThatWasChangedForTheShard(Version version) throws IOException {
    ShardRequestFactory requests =
        new ShardRequestFactory(SearchFixture.scope(request(new SearchSourceBuilder().size(3)), 2));
    ShardSearchRequest own = requests.create(0);
    own.source(own.source().shallowCopy().trackTotalHits(false));

    TransportRequest sent = requests.toWireRequest(0, own);

    assertThat(sent).isSameAs(own);
    assertThat(bytes(requests.toWireRequest(1, requests.create(1)), version))
        .isEqualTo(bytes(requests.create(1), version));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void serializeAgainForAnotherVersion(Version version) throws IOException {
    ShardRequestFactory requests =
        new ShardRequestFactory(SearchFixture.scope(request(source()), 2));
    ShardSearchRequest own = requests.create(0);
    TransportRequest spliced = requests.toWireRequest(0, own);

    bytes(spliced, version);

    assertThat(bytes(spliced, Version.CURRENT)).isEqualTo(bytes(own, Version.CURRENT));
    assertThat(bytes(spliced, version)).isEqualTo(bytes(own, version));
  }

  /** The nodes of two versions take turns while a cluster is upgraded. */
  @Test
  void serializeOnceForEachVersion() throws IOException {
    int[] writes = new int[1];
    SerializedSource source =
        new SerializedSource(
            new SearchSourceBuilder()
                .query(
                    new MatchAllQueryBuilder() {
                      @Override
                      protected void doWriteTo(StreamOutput out) {
                        writes[0]++;
                      }
                    }));
    BytesReference old = bytes(source::writeTo, Version.V_2_19_0);
    BytesReference current = bytes(source::writeTo, Version.CURRENT);

    assertThat(bytes(source::writeTo, Version.V_2_19_0)).isEqualTo(old);
    assertThat(bytes(source::writeTo, Version.CURRENT)).isEqualTo(current);
    assertThat(writes[0]).isEqualTo(2);
    assertThat(isConsumed(source, old, Version.V_2_19_0)).isTrue();
    assertThat(isConsumed(source, current, Version.CURRENT)).isTrue();
    assertThat(isConsumed(source, current, Version.V_3_0_0)).as("never sent").isFalse();
  }

  private static boolean isConsumed(SerializedSource source, BytesReference echo, Version version)
      throws IOException {
    BytesArray bytes = new BytesArray(BytesReference.toBytes(echo));
    return source.tryConsume(
        new FrameStreamInput(bytes, version, new NamedWriteableRegistry(List.of()), false));
  }

  private static BytesReference bytes(Writeable request, Version version) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      request.writeTo(out);
      return out.copyBytes();
    }
  }

  private SearchScope scope() {
    SearchRequest request = request(some(5) ? null : source());
    SearchScope plain = SearchFixture.scope(request, SHARDS);
    boolean pit = some(4);
    List<SearchScope.ShardScope> shards =
        plain.shards().stream()
            .map(shard ->
                new SearchScope.ShardScope(
                    shard.id(),
                    new OriginalIndices(
                        new String[] {"docs", "a" + random.nextInt(9)},
                        some(2)
                            ? IndicesOptions.lenientExpandOpen()
                            : IndicesOptions.strictExpand()),
                    pit ? SearchFixture.contextId(random.nextLong()) : null,
                    pit && some(2) ? TimeValue.timeValueSeconds(random.nextInt(500)) : null))
            .toList();
    SearchScope.IndexFilters filters =
        new SearchScope.IndexFilters(
            some(2)
                ? Map.of()
                : Map.of("uuid", new AliasFilter(QueryBuilders.termQuery("user", "me"), "mine")),
            some(2) ? Map.of() : Map.of("uuid", random.nextFloat()),
            some(2) ? Map.of() : Map.of("docs", Set.of("r1", "r2")));
    return new SearchScope(request, shards, filters, plain.state());
  }

  private SearchRequest request(@Nullable SearchSourceBuilder source) {
    SearchRequest request = new SearchRequest("docs").allowPartialSearchResults(some(2));
    if (source != null) {
      request.source(source);
    }
    if (some(3)) {
      request.requestCache(some(2));
    }
    if (some(3)) {
      request.preference("_local");
    }
    if (some(4)) {
      request.scroll(TimeValue.timeValueMinutes(random.nextInt(9)));
    }
    if (some(3)) {
      request.searchType(SearchType.DFS_QUERY_THEN_FETCH);
    }
    return request;
  }

  private SearchSourceBuilder source() {
    SearchSourceBuilder source = new SearchSourceBuilder();
    if (some(2)) {
      source.query(
          QueryBuilders.boolQuery()
              .must(QueryBuilders.rangeQuery("number").gte(random.nextInt()))
              .filter(QueryBuilders.termsQuery("tag", "a", "ü", "c" + random.nextInt())));
    }
    if (some(2)) {
      source.size(random.nextInt(100)).from(random.nextInt(9)).minScore(random.nextFloat());
    }
    if (some(3)) {
      source.aggregation(
          AggregationBuilders.terms("t")
              .field("group")
              .subAggregation(AggregationBuilders.avg("a").field("number")));
    }
    if (some(3)) {
      source.sort("number", SortOrder.DESC).searchAfter(new Object[] {random.nextLong()});
    }
    if (some(4)) {
      source.highlighter(new HighlightBuilder().field("text"));
    }
    if (some(4)) {
      source.collapse(new CollapseBuilder("group")).fetchField("at").docValueField("number");
    }
    if (some(4)) {
      source.suggest(
          new SuggestBuilder()
              .addSuggestion("s", SuggestBuilders.termSuggestion("text").text("x")));
    }
    if (some(4)) {
      source.addRescorer(new QueryRescorerBuilder(QueryBuilders.matchQuery("text", "y")));
    }
    if (some(4)) {
      source.slice(new SliceBuilder(1, 3)).timeout(TimeValue.timeValueSeconds(3)).profile(true);
    }
    return source.trackTotalHitsUpTo(random.nextInt(10_000)).fetchSource(some(2));
  }

  private SearchSortValuesAndFormats bottom() {
    return new SearchSortValuesAndFormats(
        new Object[] {random.nextLong(), new BytesRef("text")},
        new DocValueFormat[] {DocValueFormat.RAW, DocValueFormat.RAW});
  }

  /** Returns true once in {@code n} times on average. */
  private boolean some(int times) {
    return random.nextInt(times) == 0;
  }
}
