package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.search.query.ScrollQuerySearchResult;

class ScrollExecutionTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  @Test
  void keepStackTracesOfFewFailures() throws IOException {
    assertThat(failures(15)).hasSize(15).noneMatch(ScrollExecutionTest::isStackless);
  }

  @Test
  void keepManyFailuresWithoutStackTraces() throws IOException {
    assertThat(failures(16)).hasSize(16).allMatch(ScrollExecutionTest::isStackless);
    assertThat(failures(40)).hasSize(40).allMatch(ScrollExecutionTest::isStackless);
  }

  private static boolean isStackless(ShardSearchFailure failure) {
    return failure.getCause() instanceof StacklessFailure cause
        && "gone".equals(cause.getMessage());
  }

  private static ScrollExecution page(
      int contexts, RequestContext context, ActionListener<SearchResponse> listener)
      throws IOException {
    return new ScrollExecution(
        new SearchScrollRequest("id"),
        id(contexts),
        new ScrollExecution.PageRequest(context, listener, DiscoveryNodes.EMPTY_NODES, () -> 1),
        SearchFixture.caller(),
        new ReduceServices(REGISTRIES, new NoopCircuitBreaker("request"), Runnable::run));
  }

  /** Returns the failures in the response to a page whose contexts have all failed. */
  private static List<ShardSearchFailure> failures(int contexts) throws IOException {
    List<Exception> thrown = new ArrayList<>();
    ScrollExecution page =
        page(
            contexts,
            new RequestContext(Runnable::run, 1, Map.of()),
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("got " + response + " (expected: a failure)");
                },
                thrown::add));
    NodeRound<?> round = page.createQueryRound();
    for (int call = 0; call < round.callCount(); call++) {
      round.onFailure(call, new IllegalStateException("gone"));
    }
    page.failAllShards(round.name());

    assertThat(thrown).singleElement().isInstanceOf(SearchPhaseExecutionException.class);
    return List.of(((SearchPhaseExecutionException) thrown.getFirst()).shardFailures());
  }

  /** Counts what is reserved, and refuses nothing. */
  private static final class CountedMemory implements RequestMemory {
    private long used;

    @Override
    public @Nullable MemoryRejection reserve(
        Category item, long bytes, Supplier<List<String>> growth) {
      used += bytes;
      return null;
    }

    @Override
    public void forceReserve(Category item, long bytes) {
      used += bytes;
    }

    @Override
    public void release(Category item, long bytes) {
      used -= bytes;
    }
  }

  @Test
  void releaseMemoryWhenWritingThePageFails() throws Exception {
    CountedMemory memory = new CountedMemory();
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.resources().setMemory(memory);
    ScrollExecution page =
        page(
            1,
            context,
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("can't be written");
                },
                thrown -> {}));
    answer(page);
    assertThat(memory.used).isPositive();

    assertThatThrownBy(() -> page.respond(1)).hasMessage("can't be written");
    assertThat(memory.used).isZero();
  }

  /** Answers the query and the fetch of a page of one large hit. */
  @SuppressWarnings("unchecked")
  private static void answer(ScrollExecution page) throws Exception {
    QuerySearchResult query = new QuerySearchResult(SearchFixture.contextId(1), null, null);
    ScoreDoc[] docs = {new ScoreDoc(0, 1)};
    TotalHits one = new TotalHits(1, TotalHits.Relation.EQUAL_TO);
    query.topDocs(new TopDocsAndMaxScore(new TopDocs(one, docs), 1), null);
    query.size(10);
    SearchShardTarget target =
        new SearchShardTarget("n0", SearchFixture.shard(0), null, OriginalIndices.NONE);
    query.setSearchShardTarget(target);
    NodeRound<ScrollQuerySearchResult> first =
        (NodeRound<ScrollQuerySearchResult>) page.createQueryRound();
    first.onReply(0, new ScrollQuerySearchResult(query, target), new CountedFrame(), () -> {});

    SearchHit hit = new SearchHit(0, "d0", Map.of(), Map.of());
    hit.sourceRef(new BytesArray("{\"text\":\"" + "x".repeat(100_000) + "\"}"));
    FetchSearchResult fetched = new FetchSearchResult(SearchFixture.contextId(1), null);
    fetched.hits(new SearchHits(new SearchHit[] {hit}, one, Float.NaN));
    NodeRound<FetchSearchResult> second = (NodeRound<FetchSearchResult>) page.createFetchRound();
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      fetched.writeTo(out);
      FetchSearchResult read = second.createCall(0).reader().read(out.bytes().streamInput());
      second.onReply(0, read, new CountedFrame(), () -> {});
    }
  }

  private static ParsedScrollId id(int contexts) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(ParsedScrollId.QUERY_THEN_FETCH_TYPE);
      out.writeVInt(contexts);
      for (int context = 0; context < contexts; context++) {
        out.writeLong(context);
        out.writeString("n0");
      }
      return SearchInternals.parseScrollId(
          Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes())));
    }
  }
}
