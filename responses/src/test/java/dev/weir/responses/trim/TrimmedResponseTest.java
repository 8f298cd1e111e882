package dev.weir.responses.trim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.coordinate.SearchWork;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.core.reduce.response.SplicedSearchResponse;
import dev.weir.model.ResponseOptions.HitParts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.SearchSortValues;
import org.opensearch.search.internal.InternalSearchResponse;

/** The output equals that of OpenSearch's filters, and the counted bytes equal the difference. */
class TrimmedResponseTest {
  private static final Map<Part, String> PATHS =
      Map.of(
          Part.SHARDS, "_shards",
          Part.MAX_SCORE, "hits.max_score",
          Part.INDEX, "hits.hits._index",
          Part.ID, "hits.hits._id",
          Part.SCORE, "hits.hits._score",
          Part.SOURCE, "hits.hits._source",
          Part.SORT, "hits.hits.sort");

  private final Random random = new Random(11);

  private InternalSearchResponse page(boolean rare) {
    SearchHit[] hits = new SearchHit[1 + random.nextInt(5)];
    for (int n = 0; n < hits.length; n++) {
      SearchHit hit = new SearchHit(n, "id" + random.nextInt(1000), Map.of(), Map.of());
      hit.shard(new SearchShardTarget("n", SearchFixture.shard(random.nextInt(3)), null, null));
      hit.score(random.nextInt(3) == 0 ? Float.NaN : random.nextFloat());
      if (random.nextBoolean()) {
        hit.sourceRef(new BytesArray("{\"n\":" + random.nextInt() + ",\"t\":[null,\"x y\"]}"));
      }
      if (random.nextBoolean()) {
        Object[] values = {random.nextLong(), null, "text"};
        DocValueFormat[] formats = new DocValueFormat[values.length];
        Arrays.fill(formats, DocValueFormat.RAW);
        hit.sortValues(new SearchSortValues(values, formats));
      }
      if (rare) {
        hit.setDocumentField("f", new DocumentField("f", List.of(1)));
      }
      hits[n] = hit;
    }
    return new InternalSearchResponse(
        new SearchHits(
            hits,
            new TotalHits(random.nextInt(50), TotalHits.Relation.EQUAL_TO),
            random.nextBoolean() ? Float.NaN : random.nextFloat()),
        null,
        null,
        null,
        false,
        null,
        1);
  }

  private static SearchResponse answer(
      InternalSearchResponse page, ResponseTrimSpec trim, int failed) {
    ShardFailures failures = new ShardFailures(12);
    for (int shard = 0; shard < failed; shard++) {
      failures.add(
          shard,
          new SearchShardTarget("n", SearchFixture.shard(shard), null, null),
          new IllegalArgumentException("why"));
    }
    return new SplicedSearchResponse(
        new SplicedSearchResponse.MergedResponse(page, null),
        null,
        new SearchWork.ShardCounts(12, 12 - failed, 1),
        7,
        null,
        new SplicedSearchResponse.Completion(failures, null, trim));
  }

  private static String written(SearchResponse response, Set<String> excludes) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput();
        XContentBuilder builder =
            new XContentBuilder(JsonXContent.jsonXContent, out, Set.of(), excludes)) {
      response.toXContent(
          builder,
          excludes.isEmpty()
              ? ToXContent.EMPTY_PARAMS
              : new ToXContent.MapParams(Map.of("filter_path", "some")));
      return BytesReference.bytes(builder).utf8ToString();
    }
  }

  private static ResponseTrimSpec trim(Set<Part> dropped) {
    return new ResponseTrimSpec(dropped, HitParts.ALL, null, new TrimCounts("test"));
  }

  private Set<Part> someParts() {
    List<Part> parts = new ArrayList<>(PATHS.keySet());
    Set<Part> some = EnumSet.noneOf(Part.class);
    for (Part part : parts) {
      if (random.nextBoolean()) {
        some.add(part);
      }
    }
    return some;
  }

  @Test
  void writeTheSameAsOpenSearchWithFilterPath() throws IOException {
    int compared = 0;
    for (int i = 0; i < 600; i++) {
      InternalSearchResponse page = page(i % 3 == 0);
      Set<Part> dropped = someParts();
      ResponseTrimSpec trim = trim(dropped);
      String whole = written(answer(page, ResponseTrimSpec.NONE, 0), Set.of());
      String ours = written(answer(page, trim, 0), Set.of());
      Set<String> excludes = new HashSet<>();
      dropped.forEach(part -> excludes.add(PATHS.get(part)));
      if (!ours.contains("{}")) { // which the filters leave out
        assertThat(ours).isEqualTo(written(answer(page, ResponseTrimSpec.NONE, 0), excludes));
        assertThat(trim.counts().savedBytes()).as(ours).isEqualTo(whole.length() - ours.length());
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(100);
  }

  @Test
  void hitsStayInTheirPlacesThoughNothingIsLeftOfThem() throws IOException {
    InternalSearchResponse page = page(false);
    int hits = page.hits().getHits().length;
    String ours = written(answer(page, trim(PATHS.keySet()), 0), Set.of());
    assertThat(ours).endsWith("\"hits\":[" + "{},".repeat(hits - 1) + "{}]}}");
  }

  @Test
  void nullScoresGoWithTheNulls() throws IOException {
    InternalSearchResponse page = page(false);
    page.hits().getHits()[0].score(Float.NaN);
    ResponseTrimSpec trim = trim(EnumSet.of(Part.NULLS));
    assertThat(written(answer(page, trim, 0), Set.of()))
        .doesNotContain("\"_score\":null", "\"max_score\":null");
    assertThat(trim.counts().savedBytes()).isGreaterThanOrEqualTo("\"_score\":null,".length());
  }

  @Test
  void reportFailedShards() throws IOException {
    InternalSearchResponse page = page(false);
    assertThat(written(answer(page, trim(PATHS.keySet()), 2), Set.of()))
        .contains("\"_shards\":{\"total\":12,\"successful\":10,\"skipped\":1,\"failed\":2,");
  }
}
