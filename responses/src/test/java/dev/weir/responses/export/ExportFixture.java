package dev.weir.responses.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ExportPolicy;
import dev.weir.model.BodySource;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.StreamingResponse;
import dev.weir.responses.columnar.ColumnarResponseFormats;
import dev.weir.rest.RecordingExecutor;
import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.rest.RestDispatcher;
import dev.weir.rest.RestDispatcherFixture;
import dev.weir.rest.RestThreadContext;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.search.CreatePitAction;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchContextId;

/** Exports in memory: the test answers their searches and reads their bodies. One thread. */
final class ExportFixture {
  static final int PAGE_BYTES = 1 << 10;
  private static final String SECRET = "the secret of the fixture";

  /** The seal of cursors of requests to a path, without credentials. */
  static CursorSigner.Seal sealOf(String path) {
    return sealOf(CursorSigner.of(SECRET), path, null);
  }

  /** The seal of cursors of requests to a path, with these credentials. */
  static CursorSigner.Seal sealOf(
      CursorSigner signer, String path, @Nullable String authorization) {
    Map<String, List<String>> headers =
        authorization == null ? Map.of() : Map.of("Authorization", List.of(authorization));
    return signer.sealOf(path, headers, List.of());
  }

  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final List<Delayed> delayed = new ArrayList<>();
  private final RestDispatcher dispatcher;
  final RecordingExecutor executor = new RecordingExecutor();
  final ExportCounts counts = new ExportCounts();
  final ExportService service;

  private record Delayed(Duration delay, Runnable action) {}

  /** A cluster without indices. */
  private static final class EmptyCluster implements ClusterViewSource {
    @Override
    public ClusterView current() {
      return ClusterView.empty(0);
    }

    @Override
    public CompletionStage<ClusterView> refresh(ClusterView stale) {
      return CompletableFuture.completedStage(stale);
    }
  }

  ExportFixture(int maxInFlight, int slices) {
    this(
        new ExportPolicy(
            true,
            maxInFlight,
            slices,
            new ByteSize(PAGE_BYTES),
            maxInFlight,
            Duration.ofMinutes(1),
            SECRET));
  }

  ExportFixture(ExportPolicy policy) {
    EmptyCluster cluster = new EmptyCluster();
    service =
        new ExportService(
            cluster,
            RestDispatcherFixture.REGISTRIES.writeables(),
            this::schedule,
            counts,
            policy,
            List.of());
    dispatcher =
        new RestDispatcher(
            RestDispatcherFixture.REGISTRIES,
            threadContext,
            executor,
            new RestDispatcher.RestExtensions(
                null,
                new ColumnarResponseFormats(
                    cluster,
                    new IndexNameResolver(threadContext.threadContext()),
                    RestDispatcherFixture.REGISTRIES.writeables()),
                service),
            DeadlineResolver.NONE,
            new AtomicLong()::incrementAndGet);
  }

  private Runnable schedule(Duration delay, Executor eventLoop, Runnable task) {
    Delayed later = new Delayed(delay, () -> eventLoop.execute(task));
    delayed.add(later);
    return () -> delayed.remove(later);
  }

  void close() {
    threadContext.close();
  }

  /** Runs what waits for at most this long. */
  void elapse(Duration most) {
    List<Delayed> due = delayed.stream().filter(later -> later.delay.compareTo(most) <= 0).toList();
    delayed.removeAll(due);
    due.forEach(later -> later.action.run());
  }

  int delayedCount() {
    return delayed.size();
  }

  /** One export and what its client has of it. */
  static final class Export extends ForwardingExchange implements BodySource.Sink {
    final TestExchange http;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final List<Runnable> unsent = new ArrayList<>();
    private @Nullable StreamingResponse response;
    boolean isWritable = true;
    boolean isAborted;
    @Nullable Map<String, String> trailers;

    Export(TestExchange exchange) {
      super(exchange);
      this.http = exchange;
    }

    @Override
    public void respond(StreamingResponse reply) {
      response = reply;
      reply.body().onStart(this);
    }

    StreamingResponse response() {
      if (response == null) {
        throw new AssertionError("got no stream (expected: one)");
      }
      return response;
    }

    boolean hasResponse() {
      return response != null;
    }

    @Override
    public boolean isWritable() {
      return isWritable;
    }

    @Override
    public void write(List<ByteBuffer> part, Runnable onReleased) {
      for (ByteBuffer bytes : part) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        received.writeBytes(copy);
      }
      unsent.add(onReleased);
    }

    @Override
    public void complete(List<Map.Entry<String, String>> last) {
      Map<String, String> all = new LinkedHashMap<>();
      last.forEach(each -> all.put(each.getKey(), each.getValue()));
      trailers = all;
    }

    @Override
    public void abort() {
      isAborted = true;
    }

    /** The client has read everything so far. */
    void flush() {
      List<Runnable> sent = List.copyOf(unsent);
      unsent.clear();
      sent.forEach(Runnable::run);
      http.runEventLoop();
    }

    /** The connection takes no more, after all or a part of the body. */
    void closeBody(boolean complete) {
      response().body().onClosed(complete);
      response().onReleased().run();
      http.runEventLoop();
    }

    String text() {
      return received.toString(UTF_8);
    }
  }

  Export start(String parameters, String search) {
    return start("/logs/_weir/export?" + parameters, search, Map.of());
  }

  Export start(String uri, String search, Map<String, String> headers) {
    TestExchange http = TestExchange.queued("POST", uri).json(search);
    headers.forEach(http::header);
    Export export = new Export(http);
    dispatcher.handle(export);
    http.runEventLoop();
    return export;
  }

  /** The next action that nobody has answered. */
  Call next() {
    if (executor.calls().isEmpty()) {
      throw new AssertionError("got no action (expected: one)");
    }
    return executor.calls().removeFirst();
  }

  List<String> waitingActions() {
    return executor.calls().stream().map(Call::action).toList();
  }

  void openPit(Export export, int shards) {
    Call create = next();
    if (!create.action().equals(CreatePitAction.NAME)) {
      throw new AssertionError("got " + create.action() + " (expected: a point in time)");
    }
    answer(
        export, create, new CreatePitResponse(pitId(shards), 1, shards, shards, 0, 0, NO_FAILURES));
  }

  static final ShardSearchFailure[] NO_FAILURES = ShardSearchFailure.EMPTY_ARRAY;

  <R extends ActionResponse> void answer(Export export, Call call, R response) {
    export.http.eventLoop().execute(() -> call.answer(response));
    export.http.runEventLoop();
  }

  void fail(Export export, Call call, Exception failure) {
    export.http.eventLoop().execute(() -> call.fail(failure));
    export.http.runEventLoop();
  }

  /** Answers the next search with these documents of a shard. */
  SearchRequest answerPage(Export export, int... documents) {
    Call call = next();
    SearchRequest search = (SearchRequest) call.request();
    answer(export, call, page(false, documents));
    return search;
  }

  static SearchResponse page(boolean timedOut, int... documents) {
    SearchHit[] hits =
        IntStream.of(documents)
            .mapToObj(document -> {
              SearchHit hit = new SearchHit(document, "id" + document, Map.of(), Map.of());
              ShardId shard = new ShardId(new Index("logs", "u"), 0);
              hit.shard(new SearchShardTarget("n", shard, null, null));
              hit.sourceRef(new BytesArray("{\"n\":" + document + "}"));
              hit.score(Float.NaN);
              hit.sortValues(new Object[] {document}, new DocValueFormat[] {DocValueFormat.RAW});
              return hit;
            })
            .toArray(SearchHit[]::new);
    return new SearchResponse(
        new SearchResponseSections(
            new SearchHits(hits, null, Float.NaN), null, null, timedOut, null, null, 1),
        null,
        1,
        1,
        0,
        1,
        NO_FAILURES,
        SearchResponse.Clusters.EMPTY);
  }

  static String pitId(int shards) {
    Map<ShardId, SearchContextIdForNode> contexts = new LinkedHashMap<>();
    for (int shard = 0; shard < shards; shard++) {
      contexts.put(
          new ShardId(new Index("logs", "u"), shard),
          new SearchContextIdForNode(null, "n1", new ShardSearchContextId("session", shard + 1)));
    }
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(Version.CURRENT);
      out.writeVersion(Version.CURRENT);
      out.writeMap(contexts, (o, key) -> key.writeTo(o), (o, context) -> context.writeTo(o));
      out.writeMap(
          Map.<String, AliasFilter>of(),
          StreamOutput::writeString,
          (o, filter) -> filter.writeTo(o));
      return Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
