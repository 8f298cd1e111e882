package dev.weir.node.batch;

import dev.weir.node.LoneTransport;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.indices.breaker.HierarchyCircuitBreakerService;
import org.opensearch.search.SearchModule;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.metrics.ValueCount;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.tasks.CancellableTask;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.RequestHandlerRegistry;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/** A node without connections, whose handling of requests to shards is the test's. */
final class LoneNode implements AutoCloseable {
  private static final int MANY_BYTES = 1 << 20;
  private static final int LONG_MILLIS = 1000;
  private static final NamedWriteableRegistry WRITEABLES =
      new NamedWriteableRegistry(new SearchModule(Settings.EMPTY, List.of()).getNamedWriteables());

  private final ThreadPool threads =
      new ThreadPool(Settings.builder().put("node.name", "lone").build());
  final TransportService transport;
  final List<ShardSearchContextId> freedContexts = new CopyOnWriteArrayList<>();

  /** Thrown by what frees search contexts; null for nothing. */
  volatile @Nullable RuntimeException freeingFailure;

  final CircuitBreaker breaker;
  final ShardBatchService service;

  /** By their texts. */
  private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();

  /** All requests, by their texts. */
  private final Map<String, WeakReference<TransportRequest>> received = new ConcurrentHashMap<>();

  /** A request whose answer the test gives. */
  record Waiting(
      TransportChannel channel,
      CancellableTask task,
      Supplier<ThreadContext.StoredContext> context) {
    /** Answers in the context of the request, as a thread of a pool does. */
    void answer(String text) throws IOException {
      answer(new TextResponse(text));
    }

    @SuppressWarnings("try") // the context is only left
    void answer(TransportResponse response) throws IOException {
      try (ThreadContext.StoredContext ignored = context.get()) {
        channel.sendResponse(response);
      }
    }
  }

  LoneNode() {
    this("1gb");
  }

  /** Starts with a bound on what results hold that wait for others. */
  LoneNode(String maxHeld) {
    transport = LoneTransport.start(threads);
    Settings limits =
        Settings.builder()
            .put("indices.breaker.request.limit", maxHeld)
            .put("indices.breaker.total.use_real_memory", false)
            .put("indices.breaker.total.limit", "1gb")
            .build();
    breaker =
        new HierarchyCircuitBreakerService(
                limits,
                List.of(),
                new ClusterSettings(limits, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS))
            .getBreaker(CircuitBreaker.REQUEST);
    service = new ShardBatchService(transport, this::free, WRITEABLES, breaker);
    for (String action : ShardBatchService.ACTIONS) {
      transport.<TransportRequest>registerRequestHandler(
          action, ThreadPool.Names.SAME, in -> read(action, in), this::receive);
    }
  }

  private void free(ShardSearchContextId context) {
    freedContexts.add(context);
    RuntimeException failure = freeingFailure;
    if (failure != null) {
      throw failure;
    }
  }

  private static TransportRequest read(String action, StreamInput in) throws IOException {
    TextRequest request = new TextRequest(in);
    return action.equals(SearchTransportService.QUERY_ACTION_NAME)
        ? new OpeningQuery(request.text, request.getParentTask())
        : request;
  }

  /** Answers frees and refuses requests named so at once; others wait. */
  private void receive(TransportRequest request, TransportChannel channel, Task task)
      throws IOException {
    String text =
        request instanceof OpeningQuery query ? query.text() : ((TextRequest) request).text;
    received.put(text, new WeakReference<>(request));
    threads.getThreadContext().addResponseHeader("Warning", "on " + text);
    if (text.startsWith("refuse")) {
      throw new IllegalArgumentException(text);
    } else if (text.startsWith("free")) {
      channel.sendResponse(new TextResponse(text));
    } else {
      waiting.put(
          text,
          new Waiting(
              channel,
              (CancellableTask) task,
              threads.getThreadContext().newRestorableContext(true)));
    }
  }

  /** Returns the request with this text, which waits for the test's answer. */
  Waiting waiting(String text) {
    return Objects.requireNonNull(waiting.get(text));
  }

  /** Returns such a request, and counts it as answered. */
  Waiting take(String text) {
    return Objects.requireNonNull(waiting.remove(text));
  }

  /** Returns the texts of the requests that wait for an answer. */
  List<String> started() {
    return List.copyOf(waiting.keySet());
  }

  /** Waits until a request with this text has begun. */
  void awaitStarted(String text) throws InterruptedException {
    await(
        () -> waiting.containsKey(text),
        () -> "got " + started() + " (expected: " + text + " among them)");
  }

  private static void await(BooleanSupplier condition, Supplier<String> failure)
      throws InterruptedException {
    for (long left = 60_000; !condition.getAsBoolean(); left--) {
      if (left == 0) {
        throw new AssertionError(failure.get());
      }
      Thread.sleep(1);
    }
  }

  /** Returns whether nothing refers to the request with this text any more. */
  boolean isForgotten(String text) throws InterruptedException {
    WeakReference<TransportRequest> request = Objects.requireNonNull(received.get(text));
    for (int i = 0; i < 100 && request.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    return request.get() == null;
  }

  /** Has the node refuse new cancellable tasks of a parent, as it does after a cancellation. */
  void ban(TaskId parent) {
    ClusterState state =
        ClusterState.builder(new ClusterName("lone"))
            .nodes(DiscoveryNodes.builder().add(transport.getLocalNode()))
            .build();
    transport
        .getTaskManager()
        .applyClusterState(new ClusterChangedEvent("test", state, ClusterState.EMPTY_STATE));
    transport.getTaskManager().setBan(parent, "cancelled");
  }

  static final class TextRequest extends TransportRequest {
    private final String text;

    TextRequest(String text, TaskId parent) {
      this.text = text;
      setParentTask(parent);
    }

    TextRequest(StreamInput in) throws IOException {
      super(in);
      text = in.readString();
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      out.writeString(text);
    }

    @Override
    public Task createTask(
        long id, String type, String action, TaskId parent, Map<String, String> headers) {
      return new CancellableTask(id, type, action, text, parent, headers) {
        @Override
        public boolean shouldCancelChildrenOnCancellation() {
          return true;
        }
      };
    }
  }

  private static final class TextResponse extends TransportResponse {
    private final String text;

    TextResponse(String text) {
      this.text = text;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      if (text.equals("unwritable")) {
        throw new IOException(text);
      }
      out.writeString(text);
    }
  }

  /** A request of a batch, as it is on the wire. */
  static Writeable entry(String action, String text, TaskId parent) {
    return out -> {
      BytesStreamOutput bytes = new BytesStreamOutput();
      new TextRequest(text, parent).writeTo(bytes);
      out.writeString(action);
      out.writeBytesReference(bytes.bytes());
    };
  }

  static Writeable fetch(String text, TaskId parent) {
    return entry(SearchTransportService.FETCH_ID_ACTION_NAME, text, parent);
  }

  static Writeable query(String text) {
    return entry(SearchTransportService.QUERY_ACTION_NAME, text, TaskId.EMPTY_TASK_ID);
  }

  /** What a gateway reads of a response. */
  record Answer(@Nullable Long batch, List<String> beginnings, List<String> results) {
    /** Returns the batch's id, of a response that is not the last. */
    long more() {
      return Objects.requireNonNull(batch);
    }
  }

  /** A gateway that waits for one response. */
  final class Gateway implements TransportChannel {
    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    Map<String, List<String>> headers = Map.of();

    Answer answer() throws Exception {
      if (!(received.take() instanceof ShardBatchResponse response)) {
        throw new AssertionError("got an exception (expected: results)");
      }
      BytesStreamOutput out = new BytesStreamOutput();
      response.writeTo(out);
      StreamInput in =
          new NamedWriteableAwareStreamInput(
              out.bytes().streamInput(), new NamedWriteableRegistry(List.of()));
      Long batch = in.readBoolean() ? (Long) in.readLong() : null;
      List<String> beginnings = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        beginnings.add(in.readVInt() + ": " + in.readBytesReference().length());
      }
      List<String> results = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        int place = in.readVInt();
        int form = in.readByte();
        String leftOut = (form & 4) == 0 ? "" : ", " + in.readVInt() + " left out";
        StreamInput result =
            new NamedWriteableAwareStreamInput(in.readBytesReference().streamInput(), WRITEABLES);
        String text;
        if ((form & 1) != 0) {
          text = Objects.requireNonNull(result.readException().getCause()).getMessage();
        } else {
          text = (form & 2) == 0 ? result.readString() : hits(new QuerySearchResult(result));
        }
        results.add(place + ": " + text + leftOut + ((form & 8) == 0 ? "" : ", merged"));
      }
      return new Answer(batch, beginnings, results);
    }

    private static String hits(QuerySearchResult of) {
      return of.topDocs().topDocs.scoreDocs.length
          + " of "
          + of.topDocs().topDocs.totalHits.value()
          + (of.aggregations() == null ? "" : names(of.aggregations().expand()));
    }

    /** Returns the number of values that each count has. */
    private static String names(InternalAggregations all) {
      return all.asList().stream()
          .map(one ->
              " " + one.getName() + (one instanceof ValueCount own ? "=" + own.getValue() : ""))
          .collect(Collectors.joining("", ", aggregations:", ""));
    }

    Exception failure() throws InterruptedException {
      return (Exception) received.take();
    }

    boolean isWaiting() {
      return received.isEmpty();
    }

    @Override
    public String getProfileName() {
      return "default";
    }

    @Override
    public String getChannelType() {
      return "test";
    }

    @Override
    public void sendResponse(TransportResponse response) {
      headers = threads.getThreadContext().getResponseHeaders();
      received.add(response);
    }

    @Override
    public void sendResponse(Exception exception) {
      received.add(exception);
    }
  }

  /** Sends a batch as a gateway does. */
  Gateway send(TaskId parent, int maxBytes, int maxWaitMillis, Writeable... entries)
      throws Exception {
    return send(parent, maxBytes, maxWaitMillis, 0, entries);
  }

  /** Sends a batch of which the node carries out only some requests at a time. */
  Gateway send(TaskId parent, int maxBytes, int maxWaitMillis, int maxRunning, Writeable... entries)
      throws Exception {
    return receive(
        ShardBatchService.ACTION,
        out -> {
          parent.writeTo(out);
          out.writeVInt(maxBytes);
          out.writeVInt(maxWaitMillis);
          out.writeVInt(maxRunning);
          out.writeVInt(entries.length);
          for (Writeable entry : entries) {
            entry.writeTo(out);
          }
        });
  }

  /** Sends a batch whose results may be reduced to some hits; shards are numbered as entries. */
  Gateway sendReduced(int maxHits, Writeable... entries) throws Exception {
    return sendReduced(
        ShardBatchService.REDUCED_ACTION, LONG_MILLIS, out -> out.writeVInt(maxHits), entries);
  }

  /**
   * Sends a batch whose results may be reduced in other ways, too.
   *
   * @param parts the bits of what may be reduced
   */
  Gateway sendMerged(int maxHits, int parts, Writeable... entries) throws Exception {
    return sendMerged(maxHits, parts, LONG_MILLIS, entries);
  }

  /** The same, with how long a result waits for others. */
  Gateway sendMerged(int maxHits, int parts, int maxWaitMillis, Writeable... entries)
      throws Exception {
    return sendReduced(
        ShardBatchService.MERGED_ACTION,
        maxWaitMillis,
        out -> {
          out.writeVInt(maxHits);
          out.writeVInt(parts);
        },
        entries);
  }

  private Gateway sendReduced(
      String action, int maxWaitMillis, Writeable limits, Writeable... entries) throws Exception {
    return receive(
        action,
        out -> {
          TaskId.EMPTY_TASK_ID.writeTo(out);
          out.writeVInt(MANY_BYTES);
          out.writeVInt(maxWaitMillis);
          out.writeVInt(0);
          limits.writeTo(out);
          out.writeVInt(entries.length);
          for (int i = 0; i < entries.length; i++) {
            entries[i].writeTo(out);
            out.writeVInt(i);
          }
        });
  }

  /** Waits until no result counts against the breaker. */
  void awaitNothingHeld() throws InterruptedException {
    await(() -> breaker.getUsed() == 0, () -> "got " + breaker.getUsed() + " bytes (expected: 0)");
  }

  /** Waits until so many search contexts were freed. */
  void awaitFreed(int contexts) throws InterruptedException {
    await(
        () -> freedContexts.size() == contexts,
        () -> "got " + freedContexts.size() + " freed contexts (expected: " + contexts + ")");
  }

  /** Asks for more results, or has them dropped. */
  Gateway next(long batch, boolean wanted) throws Exception {
    return next(batch, wanted, TaskId.EMPTY_TASK_ID);
  }

  /** The same with a parent task. */
  Gateway next(long batch, boolean wanted, TaskId parent) throws Exception {
    return receive(
        ShardBatchService.NEXT_ACTION,
        out -> {
          parent.writeTo(out);
          out.writeLong(batch);
          out.writeBoolean(wanted);
        });
  }

  private Gateway receive(String action, Writeable payload) throws Exception {
    BytesStreamOutput out = new BytesStreamOutput();
    payload.writeTo(out);
    Gateway gateway = new Gateway();
    process(
        transport.getRequestHandler(action),
        new NamedWriteableAwareStreamInput(
            out.bytes().streamInput(), new NamedWriteableRegistry(List.of())),
        gateway);
    return gateway;
  }

  private <R extends TransportRequest> void process(
      RequestHandlerRegistry<R> handler, StreamInput in, TransportChannel channel)
      throws Exception {
    R request = handler.newRequest(in);
    try {
      handler.processMessageReceived(request, channel);
    } catch (Exception refused) {
      channel.sendResponse(refused);
    }
  }

  @Override
  public void close() {
    transport.close();
    threads.shutdownNow();
  }
}
