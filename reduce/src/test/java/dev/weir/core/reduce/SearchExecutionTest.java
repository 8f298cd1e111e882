package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.coordinate.ShardRound;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.query.ReduceExecutor;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.node.NodeClosedException;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.transport.RemoteTransportException;

class SearchExecutionTest {
  private static OpenSearchRegistries registries;

  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final List<CountedFrame> frames = new ArrayList<>();
  private @Nullable SearchResponse response;
  private @Nullable Exception failure;

  @BeforeAll
  static void readRegistries() {
    registries = OpenSearchRegistries.create();
  }

  private SearchExecution job(SearchRequest request, int shards) {
    SearchSpec ask =
        new SearchSpec(
            context,
            ActionListener.wrap(answer -> response = answer, thrown -> failure = thrown),
            (searches, listener) -> {},
            () -> 12,
            null);
    return new SearchExecution(
        ask,
        SearchFixture.scope(request, shards),
        SearchFixture.caller(),
        new ReduceServices(registries, new NoopCircuitBreaker("request"), Runnable::run),
        100);
  }

  private CountedFrame frame() {
    CountedFrame frame = new CountedFrame();
    frames.add(frame);
    return frame;
  }

  private static QuerySearchResult found(long contextId, float... scores) {
    QuerySearchResult result =
        new QuerySearchResult(SearchFixture.contextId(contextId), null, null);
    ScoreDoc[] docs =
        IntStream.range(0, scores.length)
            .mapToObj(doc -> new ScoreDoc(doc, scores[doc]))
            .toArray(ScoreDoc[]::new);
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopDocs(new TotalHits(scores.length, TotalHits.Relation.EQUAL_TO), docs),
            scores.length == 0 ? Float.NaN : scores[0]),
        null);
    result.size(10);
    return result;
  }

  private static FetchSearchResult fetched(int hits) {
    FetchSearchResult result = new FetchSearchResult(SearchFixture.contextId(9), null);
    SearchHit[] all =
        IntStream.range(0, hits)
            .mapToObj(doc -> new SearchHit(doc, "d" + doc, Map.of(), Map.of()))
            .toArray(SearchHit[]::new);
    result.hits(new SearchHits(all, new TotalHits(hits, TotalHits.Relation.EQUAL_TO), Float.NaN));
    return result;
  }

  @SuppressWarnings("unchecked")
  private static ShardRound<SearchPhaseResult> query(SearchExecution job, int shards) {
    return (ShardRound<SearchPhaseResult>)
        job.createFirstRound(IntStream.range(0, shards).boxed().toList());
  }

  @SuppressWarnings("unchecked")
  private static NodeRound<FetchSearchResult> fetch(SearchExecution job) {
    return (NodeRound<FetchSearchResult>) job.createFetchRound();
  }

  private static ShardSearchRequest sent(NodeCall<?> call) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    call.payload().writeTo(out);
    return new ShardSearchRequest(
        BytesReference.fromByteBuffer(ByteBuffer.wrap(BytesReference.toBytes(out.bytes())))
            .streamInput());
  }

  private static List<String> freed(SearchExecution job) {
    return job.drainUnneededContexts().stream().map(OpenContext::nodeId).toList();
  }

  private static RemoteTransportException remote(Exception cause) {
    return new RemoteTransportException("n0", cause);
  }

  @Test
  void mergesTheBestOfAllShards() {
    SearchExecution job = job(new SearchRequest("docs"), 3);
    ShardRound<SearchPhaseResult> query = query(job, 3);
    int[] taken = new int[1];
    query.onReply(0, "n0", found(1, 3f, 1f), frame(), () -> taken[0]++);
    query.onReply(1, "n1", found(2, 2f), frame(), () -> taken[0]++);
    query.onReply(2, "n2", found(3), frame(), () -> taken[0]++);
    assertThat(taken[0]).isEqualTo(3);
    job.reduce(reduced -> assertThat(reduced).isNull());
    NodeRound<FetchSearchResult> fetch = fetch(job);
    assertThat(fetch.callCount()).isEqualTo(2);
    assertThat(freed(job))
        .isEmpty(); // the third shard found nothing, so its node freed the context
    fetch.onReply(0, fetched(2), frame(), () -> {});
    fetch.onReply(1, fetched(1), frame(), () -> {});
    job.merge();
    job.succeed(new ShardCounts(3, 3, 0));
    assertThat(Objects.requireNonNull(response).getHits().getHits())
        .extracting(SearchHit::getScore)
        .containsExactly(3f, 2f, 1f);
    assertThat(response.getTook()).isEqualTo(TimeValue.timeValueMillis(12));
    assertThat(freed(job)).isEmpty();
  }

  @Test
  void keepsTheFramesOfDocumentsUntilTheRequestEnds() {
    SearchExecution job = job(new SearchRequest("docs"), 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1, 3f), frame(), () -> {});
    query.onReply(1, "n1", found(2, 2f), frame(), () -> {});
    job.reduce(reduced -> {});
    NodeRound<FetchSearchResult> fetch = fetch(job);
    fetch.onReply(0, fetched(1), frame(), () -> {});
    fetch.onReply(1, fetched(1), frame(), () -> {});
    assertThat(frames).extracting(frame -> frame.held).containsExactly(1, 1, 1, 1);
    job.merge();
    job.succeed(new ShardCounts(2, 2, 0));
    assertThat(frames).extracting(frame -> frame.held).containsExactly(0, 0, 1, 1);
    context.end();
    assertThat(frames).extracting(frame -> frame.held).containsOnly(0);
  }

  @Test
  void releaseFramesWithoutAResponseAfterADisconnect() {
    SearchExecution job = job(new SearchRequest("docs"), 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1), frame(), () -> {});
    query.onReply(1, "n1", found(2), frame(), () -> {});
    job.reduce(reduced -> {});
    job.createFetchRound();
    job.merge();
    context.cancel("channel closed");
    context.end();
    job.succeed(new ShardCounts(2, 2, 0));
    assertThat(response).isNull();
    assertThat(failure).isInstanceOf(TaskCancelledException.class);
    assertThat(frames).extracting(frame -> frame.held).containsOnly(0);
  }

  @Test
  void freesContextsThatNothingIsFetchedFromOnce() {
    SearchExecution job = job(new SearchRequest("docs"), 2);
    job.abandon();
    SearchRequest onlyBest = new SearchRequest("docs");
    onlyBest.source(new SearchSourceBuilder().size(1));
    SearchExecution best = job(onlyBest, 2);
    ShardRound<SearchPhaseResult> query = query(best, 2);
    QuerySearchResult worse = found(1, 1f);
    QuerySearchResult better = found(2, 2f);
    worse.size(1);
    better.size(1);
    query.onReply(0, "n0", worse, frame(), () -> {});
    query.onReply(1, "n1", better, frame(), () -> {});
    best.reduce(reduced -> {});
    NodeRound<FetchSearchResult> fetch = fetch(best);
    assertThat(fetch.nodeId(0)).isEqualTo("n1");
    assertThat(freed(best)).containsExactly("n0");
    best.fail("fetch", "odd", null, false);
    assertThat(freed(best)).containsExactly("n1");
    assertThat(freed(best)).isEmpty();
  }

  @Test
  void givesAllBackWhenItIsAbandonedBetweenFetches() {
    SearchExecution job = job(new SearchRequest("docs"), 3);
    ShardRound<SearchPhaseResult> query = query(job, 3);
    query.onReply(0, "n0", found(1, 3f), frame(), () -> {});
    query.onReply(1, "n1", found(2, 2f), frame(), () -> {});
    query.onReply(2, "n2", found(3, 1f), frame(), () -> {});
    job.reduce(reduced -> {});
    NodeRound<FetchSearchResult> fetch = fetch(job);
    fetch.onReply(0, fetched(1), frame(), () -> {});
    assertThat(fetch.onFailure(1, new IOException("lost"))).isTrue();
    job.abandon();
    assertThat(frames).hasSize(4).extracting(frame -> frame.held).containsOnly(0);
    assertThat(freed(job)).as("the first was used up").containsExactlyInAnyOrder("n1", "n2");
    assertThat(response).isNull();
    assertThat(failure).isNull();
  }

  @Test
  void distinguishALostNodeFromAFailingOne() {
    NodeRound<FetchSearchResult> fetch = fetching(new SearchRequest("docs"));
    for (NodeCallException.Kind kind : NodeCallException.Kind.values()) {
      NodeCallException thrown = new NodeCallException(kind, "n0", remote(new IOException("disk")));
      assertThat(fetch.isContextLost(thrown))
          .as(kind.name())
          .isEqualTo(
              kind == NodeCallException.Kind.CONNECTION_LOST
                  || kind == NodeCallException.Kind.NOT_SENT);
    }
    for (Exception told :
        List.of(
            new SearchContextMissingException(SearchFixture.contextId(1)),
            new NodeClosedException(SearchFixture.state().nodes().get("n0")),
            new OpenSearchRejectedExecutionException("stopping", true))) {
      assertThat(
              fetch.isContextLost(
                  new NodeCallException(NodeCallException.Kind.REMOTE, "n0", remote(told))))
          .isTrue();
    }
    OpenSearchRejectedExecutionException full =
        new OpenSearchRejectedExecutionException("full", false);
    assertThat(
            fetch.isContextLost(
                new NodeCallException(NodeCallException.Kind.REMOTE, "n0", remote(full))))
        .isFalse();
    assertThat(
            fetch.isContextLost(new NodeCallException(NodeCallException.Kind.NOT_SENT, "n0", full)))
        .isFalse();
    assertThat(fetch.isContextLost(new IOException("can't be made"))).isFalse();
  }

  @Test
  void leavesPointsInTimeOnTheirCopiesAndStartsScrollsOver() {
    NodeCallException lost =
        new NodeCallException(
            NodeCallException.Kind.CONNECTION_LOST, "n0", new IOException("lost"));
    NodeRound<FetchSearchResult> scroll =
        fetching(new SearchRequest("docs").scroll(TimeValue.timeValueMinutes(1)));
    assertThat(scroll.isContextLost(lost)).isTrue();
    assertThat(scroll.canStartOver()).isTrue();
    SearchSourceBuilder inPit =
        new SearchSourceBuilder().pointInTimeBuilder(new PointInTimeBuilder("pit"));
    NodeRound<FetchSearchResult> pointInTime = fetching(new SearchRequest("docs").source(inPit));
    assertThat(pointInTime.isContextLost(lost)).isFalse();
    assertThat(pointInTime.canStartOver()).isFalse();
  }

  private NodeRound<FetchSearchResult> fetching(SearchRequest request) {
    SearchExecution job = job(request, 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1, 3f), frame(), () -> {});
    query.onReply(1, "n1", found(2, 2f), frame(), () -> {});
    job.reduce(reduced -> {});
    return fetch(job);
  }

  @Test
  void failsWithTheRootCauseOfItsShards() {
    SearchExecution job = job(new SearchRequest("docs"), 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    IllegalArgumentException cause = new IllegalArgumentException("no such field");
    query.onFailure(
        0, "n0", new NodeCallException(NodeCallException.Kind.REMOTE, "n0", remote(cause)));
    query.onFailure(
        1, "n1", new NodeCallException(NodeCallException.Kind.REMOTE, "n1", remote(cause)));
    job.fail("query", "all shards failed", null, true);
    assertThat(failure)
        .isInstanceOfSatisfying(
            SearchPhaseExecutionException.class,
            thrown -> {
              assertThat(thrown.getPhaseName()).isEqualTo("query");
              assertThat(thrown.shardFailures()).hasSize(2);
              assertThat(thrown.shardFailures()[1].shard().getNodeId()).isEqualTo("n1");
              assertThat(thrown.status().getStatus()).isEqualTo(400);
            });
  }

  @Test
  void forgetsTheFailureOfACopyWhenAnotherAnswers() {
    SearchExecution job = job(new SearchRequest("docs"), 1);
    ShardRound<SearchPhaseResult> query = query(job, 1);
    query.onFailure(
        0,
        "n0",
        new NodeCallException(
            NodeCallException.Kind.REMOTE, "n0", remote(new IOException("disk"))));
    assertThat(job.failureCount()).isEqualTo(1);
    query.onReply(0, "n1", found(1), frame(), () -> {});
    assertThat(job.failureCount()).isZero();
  }

  @Test
  void doesNotCountShardsThatAreOnlyElsewhere() {
    SearchExecution job = job(new SearchRequest("docs"), 1);
    ShardRound<SearchPhaseResult> query = query(job, 1);
    NodeCallException moved =
        new NodeCallException(
            NodeCallException.Kind.REMOTE, "n0", remote(new IndexNotFoundException("docs")));
    query.onFailure(0, "n0", moved);
    assertThat(job.failureCount()).isZero();
    assertThat(query.isStale(moved)).isTrue();
    assertThat(
            query.isStale(
                new NodeCallException(
                    NodeCallException.Kind.REMOTE, "n0", remote(new IOException("disk")))))
        .isFalse();
  }

  @Test
  void tellsLaterShardsThatTheyMayAnswerNothing() throws Exception {
    SearchExecution job = job(new SearchRequest("docs"), 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    assertThat(sent(query.createCall(0, "n0")).canReturnNullResponseIfMatchNoDocs()).isFalse();
    query.onReply(0, "n0", found(1), frame(), () -> {});
    assertThat(sent(query.createCall(1, "n1")).canReturnNullResponseIfMatchNoDocs()).isTrue();
  }

  @Test
  void requireResponsesOfAllShardsOfAScroll() throws Exception {
    SearchRequest scroll = new SearchRequest("docs").scroll(TimeValue.timeValueMinutes(1));
    SearchExecution job = job(scroll, 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1), frame(), () -> {});
    assertThat(sent(query.createCall(1, "n1")).canReturnNullResponseIfMatchNoDocs()).isFalse();
  }

  @Test
  void refusesNodesThatTheStateDoesNotKnow() {
    ShardRound<SearchPhaseResult> query = query(job(new SearchRequest("docs"), 1), 1);
    assertThatThrownBy(() -> query.createCall(0, "nobody"))
        .hasMessage("no node found for id: nobody");
  }

  @Test
  void readTheLoadReportOfAReply() {
    ShardRound<SearchPhaseResult> query = query(job(new SearchRequest("docs"), 1), 1);
    QuerySearchResult reply = found(1).nodeQueueSize(4).serviceTimeEWMA(55);
    assertThat(query.queueSize(reply)).isEqualTo(4);
    assertThat(query.serviceTimeNanos(reply)).isEqualTo(55);
  }

  @Test
  void keepsTheContextsOfAScroll() {
    SearchRequest scroll = new SearchRequest("docs").scroll(TimeValue.timeValueMinutes(1));
    SearchExecution job = job(scroll, 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1, 1f), frame(), () -> {});
    query.onReply(1, "n1", found(2), frame(), () -> {});
    job.reduce(reduced -> {});
    NodeRound<FetchSearchResult> fetch = fetch(job);
    fetch.onReply(0, fetched(1), frame(), () -> {});
    job.merge();
    job.succeed(new ShardCounts(2, 2, 0));
    assertThat(Objects.requireNonNull(response).getScrollId()).isNotEmpty();
    assertThat(freed(job)).isEmpty();
  }

  @Test
  void freesTheContextsOfAScrollThatFailed() {
    SearchRequest scroll = new SearchRequest("docs").scroll(TimeValue.timeValueMinutes(1));
    SearchExecution job = job(scroll, 2);
    ShardRound<SearchPhaseResult> query = query(job, 2);
    query.onReply(0, "n0", found(1, 1f), frame(), () -> {});
    query.onReply(1, "n1", found(2), frame(), () -> {});
    job.fail("fetch", "odd", null, false);
    assertThat(freed(job)).containsExactly("n0", "n1");
    assertThat(frames).extracting(frame -> frame.held).containsOnly(0);
  }

  @Test
  void stopsReducingWhenCancelled() {
    SearchExecution job = job(new SearchRequest("docs"), 1);
    List<String> hopeless = new ArrayList<>();
    job.onUnrecoverable(hopeless::add);
    ShardRound<SearchPhaseResult> query = query(job, 1);
    query.onReply(0, "n0", found(1), frame(), () -> {});
    job.cancel("too late");
    job.reduce(reduced -> assertThat(reduced).isInstanceOf(TaskCancelledException.class));
    assertThat(hopeless).isNotEmpty();
  }

  @Test
  void turnsAFullPoolIntoARejection() {
    assertThat(ReduceExecutor.createRejection(new RejectedExecutionException("full")))
        .isInstanceOf(OpenSearchRejectedExecutionException.class)
        .hasMessageContaining("full");
  }
}
