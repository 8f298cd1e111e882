package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.round.QueryRound;
import dev.weir.model.LazySearchResponse;
import dev.weir.model.ZeroCopyHits;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.search.sort.SortOrder;

/**
 * The response of a search of one shard is the same whether its hits stay in the frame or are
 * objects.
 */
class OneShardTest {
  private static OpenSearchRegistries registries;

  private final long seed = TestSeed.random(OneShardTest.class).nextLong();
  private final Random random = new Random(seed);
  private @Nullable SearchResponse response;

  @BeforeAll
  static void readRegistries() {
    registries = OpenSearchRegistries.create();
  }

  @Test
  void answerAlikeFromFramesAndObjects() throws IOException {
    int inPlace = 0;
    for (int round = 0; round < 150; round++) {
      boolean sorted = random.nextBoolean();
      int from = random.nextInt(4);
      int size = 1 + random.nextInt(12);
      int matches = random.nextInt(15);
      boolean rare = random.nextInt(4) == 0;
      SearchRequest request = new SearchRequest("docs");
      request.source(new SearchSourceBuilder().from(from).size(size));
      if (sorted) {
        request.source().sort("n", SortOrder.ASC);
      }
      SearchHit[] hits = hits(Math.clamp(matches - from, 0, size), rare);
      TopDocsAndMaxScore best = best(Math.min(matches, from + size), sorted);

      SearchResponse framed = search(request, best, hits, sorted, true);
      ZeroCopyHits lying = ((LazySearchResponse) framed).zeroCopyHits();
      if (hits.length > 0) {
        assertThat(lying == null)
            .as("seed %s: %s", seed, SearchFixture.json(framed))
            .isEqualTo(rare);
      }
      inPlace += lying == null ? 0 : lying.count();
      String written = SearchFixture.json(framed);
      SearchResponse objects = search(request, best, hits, sorted, false);

      assertThat(((LazySearchResponse) objects).zeroCopyHits()).isNull();
      assertThat(written).as("seed %s", seed).isEqualTo(SearchFixture.json(objects));
      assertThat(Arrays.stream(framed.getHits().getHits()).map(SearchHit::getId))
          .as("seed %s", seed)
          .containsExactlyElementsOf(
              Arrays.stream(objects.getHits().getHits()).map(SearchHit::getId).toList());
    }
    assertThat(inPlace).isPositive();
  }

  private SearchResponse search(
      SearchRequest request,
      TopDocsAndMaxScore best,
      SearchHit[] hits,
      boolean sorted,
      boolean framed)
      throws IOException {
    SearchExecution job = job(request);
    QueryRound round = (QueryRound) job.createFirstRound(List.of(0));
    NodeCall<SearchPhaseResult> call = round.createCall(0, "n0", SearchFixture.caller());
    BytesArray answer = answer(call, best, hits, sorted, request.source());
    SearchPhaseResult read =
        call.reader()
            .read(
                framed
                    ? new FrameStreamInput(answer, Version.CURRENT, registries.writeables(), false)
                    : new NamedWriteableAwareStreamInput(
                        answer.streamInput(), registries.writeables()));
    round.onReply(0, "n0", read, new CountedFrame(), () -> {});
    job.reduce(failure -> assertThat(failure).isNull());
    assertThat(job.createFetchRound().callCount()).isZero();
    job.merge();
    job.succeed(new ShardCounts(1, 1, 0));
    return Objects.requireNonNull(response);
  }

  private SearchExecution job(SearchRequest request) {
    return SearchFixture.execution(request, 1, registries, answer -> response = answer);
  }

  /** A node's reply: the query result, the echoed request, and the documents. */
  private static BytesArray answer(
      NodeCall<?> call,
      TopDocsAndMaxScore best,
      SearchHit[] hits,
      boolean sorted,
      SearchSourceBuilder source)
      throws IOException {
    QuerySearchResult query =
        new QuerySearchResult(
            SearchFixture.contextId(3),
            new SearchShardTarget("n0", SearchFixture.shard(0), null, null),
            sent(call));
    query.from(source.from());
    query.size(source.size());
    query.topDocs(best, sorted ? new DocValueFormat[] {DocValueFormat.RAW} : null);
    FetchSearchResult fetched = new FetchSearchResult(SearchFixture.contextId(3), null);
    fetched.hits(new SearchHits(hits, best.topDocs.totalHits, Float.NaN));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      new QueryFetchSearchResult(query, fetched).writeTo(out);
      return new BytesArray(BytesReference.toBytes(out.bytes()));
    }
  }

  private static ShardSearchRequest sent(NodeCall<?> call) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput();
        StreamInput in =
            new NamedWriteableAwareStreamInput(written(call, out), registries.writeables())) {
      return new ShardSearchRequest(in);
    }
  }

  private static StreamInput written(NodeCall<?> call, BytesStreamOutput out) throws IOException {
    call.payload().writeTo(out);
    return new BytesArray(BytesReference.toBytes(out.bytes())).streamInput();
  }

  private TopDocsAndMaxScore best(int count, boolean sorted) {
    TotalHits total = new TotalHits(count, TotalHits.Relation.EQUAL_TO);
    ScoreDoc[] docs = sorted ? new FieldDoc[count] : new ScoreDoc[count];
    for (int i = 0; i < count; i++) {
      float score = sorted ? Float.NaN : (float) (count - i);
      docs[i] = sorted ? new FieldDoc(i, score, new Object[] {(long) i}) : new ScoreDoc(i, score);
    }
    TopDocs best =
        sorted
            ? new TopFieldDocs(
                total, docs, new SortField[] {new SortField("n", SortField.Type.LONG)})
            : new TopDocs(total, docs);
    return new TopDocsAndMaxScore(best, sorted || count == 0 ? Float.NaN : count);
  }

  private SearchHit[] hits(int count, boolean rare) {
    SearchHit[] hits = new SearchHit[count];
    for (int i = 0; i < count; i++) {
      hits[i] = new SearchHit(i, "id-" + random.nextInt(1000), Map.of(), Map.of());
      if (random.nextInt(5) > 0) {
        hits[i].sourceRef(new BytesArray("{\"n\":" + "7".repeat(1 + random.nextInt(300)) + "}"));
      }
      if (rare) {
        hits[i].setDocumentField("n", new DocumentField("n", List.of(i)));
      }
    }
    return hits;
  }
}
