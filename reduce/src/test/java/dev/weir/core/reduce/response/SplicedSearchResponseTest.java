package dev.weir.core.reduce.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.hits.MaterializedHits;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.common.text.Text;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.SearchSortValues;
import org.opensearch.search.fetch.subphase.highlight.HighlightField;
import org.opensearch.search.internal.InternalSearchResponse;

/** Both classes write the same bytes. */
class SplicedSearchResponseTest {
  private static final int PAGES = 400;

  private final Random random = new Random(7);

  /** The properties for which OpenSearch's class has to write a hit. */
  private final List<Consumer<SearchHit>> rare =
      List.of(
          hit -> hit.version(3),
          hit -> hit.setSeqNo(5),
          hit -> hit.score(Float.POSITIVE_INFINITY),
          hit -> hit.setDocumentField("f", new DocumentField("f", List.of(1))),
          hit ->
              hit.highlightFields(
                  Map.of("t", new HighlightField("t", new Text[] {new Text("<em>a</em>")}))),
          hit -> hit.matchedQueries(new String[] {"q"}),
          hit -> hit.explanation(Explanation.match(1, "because")),
          hit -> hit.setInnerHits(Map.of("i", SearchHits.empty())),
          hit -> hit.sourceRef(new BytesArray(" {\"a\": 1}")),
          hit -> hit.sourceRef(new BytesArray("---\na: 1\n")),
          hit -> hit.sortValues(sorted(1.5d, 1.5f, true)),
          hit -> hit.sortValues(sorted("ab\u0001")));

  private static SearchSortValues sorted(@Nullable Object... values) {
    DocValueFormat[] formats = new DocValueFormat[values.length];
    Arrays.fill(formats, DocValueFormat.RAW);
    return new SearchSortValues(values, formats);
  }

  private SearchHit plain(int number) {
    SearchHit hit = new SearchHit(number, "id/-" + random.nextInt(), Map.of(), Map.of());
    hit.shard(new SearchShardTarget("n", SearchFixture.shard(random.nextInt(3)), null, null));
    hit.score(
        switch (random.nextInt(4)) {
          case 0 -> Float.NaN;
          case 1 -> 1;
          case 2 -> Float.intBitsToFloat(random.nextInt() & 0x7f7fffff);
          default -> -random.nextFloat();
        });
    if (random.nextInt(4) > 0) {
      hit.sourceRef(source());
    }
    if (random.nextInt(3) == 0) {
      hit.sortValues(sorted(random.nextLong(), "text/ " + random.nextInt(), null, -3));
    }
    return hit;
  }

  private BytesReference source() {
    String text = "{\"number\": " + random.nextInt() + ", \"text\":\"é \\\" \\u0000 /\"\n}";
    BytesArray whole = new BytesArray(text);
    int cut = random.nextInt(whole.length());
    return random.nextBoolean()
        ? whole
        : CompositeBytesReference.of(whole.slice(0, cut), whole.slice(cut, whole.length() - cut));
  }

  private InternalSearchResponse page(SearchHit[] hits) {
    TotalHits total =
        random.nextInt(5) == 0
            ? null
            : new TotalHits(
                random.nextInt(10_000),
                random.nextBoolean()
                    ? TotalHits.Relation.EQUAL_TO
                    : TotalHits.Relation.GREATER_THAN_OR_EQUAL_TO);
    return new InternalSearchResponse(
        new SearchHits(hits, total, random.nextBoolean() ? Float.NaN : random.nextFloat()),
        null,
        null,
        null,
        random.nextBoolean(),
        random.nextBoolean() ? null : random.nextBoolean(),
        1 + random.nextInt(2));
  }

  private static String written(
      SearchResponse response, XContentType type, boolean pretty, ToXContent.Params params)
      throws IOException {
    try (XContentBuilder builder = XContentBuilder.builder(type.xContent())) {
      if (pretty) {
        builder.prettyPrint();
      }
      response.toXContent(builder, params);
      return BytesReference.bytes(builder).utf8ToString();
    }
  }

  private void assertSame(InternalSearchResponse page, @Nullable String pitId) throws IOException {
    ShardFailures failures = new ShardFailures(5);
    failures.add(
        2,
        new SearchShardTarget("n", SearchFixture.shard(2), null, null),
        new IllegalArgumentException("why"));
    SearchResponse.PhaseTook took =
        random.nextBoolean() ? null : new SearchResponse.PhaseTook(Map.of("query", 3L));
    SearchWork.ShardCounts counts = new SearchWork.ShardCounts(5, 4, 1);
    SearchResponse theirs =
        new SearchResponse(
            page,
            null,
            5,
            4,
            1,
            12,
            took,
            failures.toArray(),
            SearchResponse.Clusters.EMPTY,
            pitId);
    SearchResponse ours =
        new SplicedSearchResponse(
            new SplicedSearchResponse.MergedResponse(page, null),
            null,
            counts,
            12,
            took,
            new SplicedSearchResponse.Completion(failures, pitId, SearchTrimming.NONE));
    for (ToXContent.Params params :
        List.of(
            ToXContent.EMPTY_PARAMS,
            new ToXContent.MapParams(Map.of("rest_total_hits_as_int", "true")))) {
      assertThat(written(ours, XContentType.JSON, false, params))
          .isEqualTo(written(theirs, XContentType.JSON, false, params));
    }
    assertThat(written(ours, XContentType.JSON, true, ToXContent.EMPTY_PARAMS))
        .isEqualTo(written(theirs, XContentType.JSON, true, ToXContent.EMPTY_PARAMS));
    assertThat(written(ours, XContentType.YAML, false, ToXContent.EMPTY_PARAMS))
        .isEqualTo(written(theirs, XContentType.YAML, false, ToXContent.EMPTY_PARAMS));
  }

  @Test
  void writesPlainHitsAsOpenSearchDoes() throws IOException {
    for (int i = 0; i < PAGES; i++) {
      SearchHit[] hits = new SearchHit[random.nextInt(12)];
      for (int n = 0; n < hits.length; n++) {
        hits[n] = plain(n);
      }
      assertThat(MaterializedHits.createIfPlain(hits)).isNotNull();
      assertSame(page(hits), random.nextBoolean() ? "pit" : null);
    }
  }

  @Test
  void leavesRareHitsToOpenSearch() throws IOException {
    for (Consumer<SearchHit> change : rare) {
      SearchHit[] hits = {plain(0), plain(1), plain(2)};
      change.accept(hits[1]);
      assertThat(MaterializedHits.createIfPlain(hits)).isNull();
      assertSame(page(hits), null);
    }
  }

  @Test
  void leavesIdsThatNeedAnEscapeToOpenSearch() throws IOException {
    for (String id : List.of("a\"b", "a\\b", "é", "\u0001", "\u007f", "😀")) {
      SearchHit[] hits = {new SearchHit(1, id, Map.of(), Map.of())};
      hits[0].shard(new SearchShardTarget("n", SearchFixture.shard(0), null, null));
      assertThat(MaterializedHits.createIfPlain(hits)).as(id).isNull();
      assertSame(page(hits), null);
    }
  }
}
