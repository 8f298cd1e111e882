package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.round.FetchRound;
import dev.weir.core.reduce.round.QueryRound;
import dev.weir.model.LazySearchResponse;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.fetch.ShardFetchSearchRequest;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Where one of several shards is queried, the response is the same whether its documents come with
 * the query result or are fetched later, as they are where another shard without matches is
 * queried.
 */
class FetchWithQueryTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final int SHARDS = 4;
  private static final List<Doc> NO_DOCS = List.of();

  private final long seed = TestSeed.random(FetchWithQueryTest.class).nextLong();
  private final Random random = new Random(seed);
  private @Nullable SearchResponse response;

  /** A document of a shard; its number is its position in the shard's list, best first. */
  private record Doc(String id, float score, @Nullable String json, boolean rare) {}

  @Test
  void answerAlikeInOneRoundAndInTwo() throws IOException {
    int inPlace = 0;
    for (int round = 0; round < 150; round++) {
      SearchRequest request = request(random.nextInt(5), 1 + random.nextInt(12));
      List<Doc> docs = docs(random.nextInt(4) == 0);

      String twoRounds = SearchFixture.json(searchInTwoRounds(request, docs));
      SearchResponse oneRound = searchInOneRound(request, docs);

      inPlace += ((LazySearchResponse) oneRound).zeroCopyHits() == null ? 0 : 1;
      assertThat(SearchFixture.json(oneRound)).as("seed %s", seed).isEqualTo(twoRounds);
    }
    assertThat(inPlace).isPositive();
  }

  @Test
  void shardThatFetchesIsCalledAsTheOnlyOneOfASearch() throws IOException {
    SearchRequest request = request(0, 3);
    QueryRound one = (QueryRound) job(request).createFirstRound(List.of(2));
    QueryRound two = (QueryRound) job(request).createFirstRound(List.of(0, 2));

    ShardSearchRequest sent = sent(one.createCall(0, "n1", SearchFixture.caller()));

    assertThat(sent.shardId()).isEqualTo(SearchFixture.shard(2));
    assertThat(sent.numberOfShards()).isEqualTo(1);
    assertThat(sent.canReturnNullResponseIfMatchNoDocs()).isFalse();
    assertThat(one.callType()).isEqualTo(NodeCallType.QUERY_AND_FETCH);
    assertThat(sent(two.createCall(0, "n1", SearchFixture.caller())).numberOfShards())
        .isEqualTo(SHARDS);
    assertThat(two.callType()).isEqualTo(NodeCallType.HITS);
  }

  private static SearchRequest request(int from, int size) {
    return new SearchRequest("docs")
        .source(
            new SearchSourceBuilder()
                .from(from)
                .size(size)
                .query(QueryBuilders.matchQuery("text", "word")));
  }

  private SearchResponse searchInTwoRounds(SearchRequest request, List<Doc> docs)
      throws IOException {
    SearchExecution job = job(request);
    QueryRound round = (QueryRound) job.createFirstRound(List.of(2, 1));
    answerQuery(round, 0, docs, request, false);
    answerQuery(round, 1, NO_DOCS, request, false);
    job.reduce(failure -> assertThat(failure).isNull());
    FetchRound fetch = (FetchRound) job.createFetchRound();
    for (int call = 0; call < fetch.callCount(); call++) {
      NodeCall<FetchSearchResult> asked = fetch.createCall(call);
      FetchSearchResult fetched = fetched(docs, docIds(asked));
      fetch.onReply(call, read(asked.reader(), fetched), new CountedFrame(), () -> {});
    }
    return finish(job);
  }

  private SearchResponse searchInOneRound(SearchRequest request, List<Doc> docs)
      throws IOException {
    SearchExecution job = job(request);
    QueryRound round = (QueryRound) job.createFirstRound(List.of(2));
    answerQuery(round, 0, docs, request, true);
    job.reduce(failure -> assertThat(failure).isNull());
    assertThat(job.createFetchRound().callCount()).isZero();
    assertThat(job.drainUnneededContexts()).isEmpty();
    return finish(job);
  }

  private static void answerQuery(
      QueryRound round, int shard, List<Doc> docs, SearchRequest request, boolean fetches)
      throws IOException {
    int from = request.source().from();
    int size = request.source().size();
    NodeCall<SearchPhaseResult> call = round.createCall(shard, "n1", SearchFixture.caller());
    QuerySearchResult found =
        new QuerySearchResult(
            SearchFixture.contextId(shard),
            new SearchShardTarget("n1", SearchFixture.shard(shard), null, null),
            sent(call));
    found.from(from);
    found.size(size);
    found.topDocs(best(docs, from + size), null);
    int end = Math.min(from + size, docs.size());
    SearchPhaseResult reply =
        fetches
            ? new QueryFetchSearchResult(
                found, fetched(docs, IntStream.range(Math.min(from, end), end).toArray()))
            : found;
    round.onReply(shard, "n1", read(call.reader(), reply), new CountedFrame(), () -> {});
  }

  private SearchResponse finish(SearchExecution job) {
    job.merge();
    job.succeed(new ShardCounts(SHARDS, SHARDS, 0));
    return Objects.requireNonNull(response);
  }

  private SearchExecution job(SearchRequest request) {
    return SearchFixture.execution(request, SHARDS, REGISTRIES, answer -> response = answer);
  }

  private List<Doc> docs(boolean rare) {
    List<Doc> docs = new ArrayList<>();
    int count = random.nextInt(20);
    for (int i = 0; i < count; i++) {
      String json =
          random.nextInt(5) == 0 ? null : "{\"n\":" + "7".repeat(1 + random.nextInt(300)) + "}";
      docs.add(
          new Doc(
              "id-" + random.nextInt(1000),
              1 + random.nextInt(8),
              json,
              rare && random.nextBoolean()));
    }
    docs.sort(Comparator.comparingDouble(Doc::score).reversed());
    return docs;
  }

  private static TopDocsAndMaxScore best(List<Doc> docs, int size) {
    ScoreDoc[] best = new ScoreDoc[Math.min(size, docs.size())];
    for (int i = 0; i < best.length; i++) {
      best[i] = new ScoreDoc(i, docs.get(i).score());
    }
    return new TopDocsAndMaxScore(
        new TopDocs(new TotalHits(docs.size(), TotalHits.Relation.EQUAL_TO), best),
        docs.isEmpty() ? Float.NaN : docs.getFirst().score());
  }

  private static FetchSearchResult fetched(List<Doc> docs, int[] wanted) {
    SearchHit[] hits = new SearchHit[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      Doc doc = docs.get(wanted[i]);
      hits[i] = new SearchHit(wanted[i], doc.id(), Map.of(), Map.of());
      if (doc.json() != null) {
        hits[i].sourceRef(new BytesArray(doc.json()));
      }
      if (doc.rare()) {
        hits[i].version(7);
      }
    }
    FetchSearchResult fetched = new FetchSearchResult(SearchFixture.contextId(3), null);
    fetched.hits(
        new SearchHits(hits, new TotalHits(docs.size(), TotalHits.Relation.EQUAL_TO), Float.NaN));
    return fetched;
  }

  private static ShardSearchRequest sent(NodeCall<?> call) throws IOException {
    return reread(call.payload(), ShardSearchRequest::new);
  }

  private static int[] docIds(NodeCall<?> call) throws IOException {
    ShardFetchSearchRequest asked = reread(call.payload(), ShardFetchSearchRequest::new);
    return IntStream.of(asked.docIds()).limit(asked.docIdsSize()).toArray();
  }

  private static <T> T reread(Writeable from, Writeable.Reader<T> reader) throws IOException {
    return reader.read(
        new NamedWriteableAwareStreamInput(bytes(from).streamInput(), REGISTRIES.writeables()));
  }

  private static <T extends SearchPhaseResult> T read(Writeable.Reader<T> reader, Writeable reply)
      throws IOException {
    return reader.read(
        new FrameStreamInput(bytes(reply), Version.CURRENT, REGISTRIES.writeables(), false));
  }

  private static BytesArray bytes(Writeable from) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      from.writeTo(out);
      return new BytesArray(BytesReference.toBytes(out.bytes()));
    }
  }
}
