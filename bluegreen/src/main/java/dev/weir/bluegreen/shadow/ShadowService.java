package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import dev.weir.bluegreen.shadow.ShadowReadFilter.SelectedRead;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats reads on another cluster and compares the responses, within bounds of number and memory.
 * Reads beyond the bounds are skipped and counted. Safe on any thread; never blocks.
 */
public final class ShadowService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowService.class);
  private static final double PERCENT = 100;

  private final Function<String, @Nullable Target> targets;
  private final Dependencies dependencies;
  private final Listener listener;
  private final MemoryPool memory;
  private final ShadowReport report;
  private final ComparisonExecutor comparisonExecutor;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Set<ShadowReadTask> runs = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /** A target of shadow reads. */
  public interface Target {
    /** The configured name. */
    String cluster();

    /** Executes requests without admission control. */
    RequestHandler handler();

    /**
     * Renames the path and query for this cluster.
     *
     * @param uri as sent by the client
     * @return null if a name has no counterpart
     */
    default @Nullable String translateUri(String uri) {
      return uri;
    }

    /** Whether index names in a request body need renaming. */
    default boolean hasRenamedBodyIndices(String askedUri) {
      return false;
    }

    /** The pass-through to its nodes; null if there is none. */
    default @Nullable PassThroughSender passThroughSender() {
      return null;
    }

    /**
     * Renames a copy of a request's body for this cluster.
     *
     * @param asked as sent by the client
     * @return null if a name has no counterpart
     */
    default @Nullable ByteBuffer translateBody(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      return RequestCopy.copyBytes(asked);
    }
  }

  /** The pass-through to the nodes of a cluster, which authenticate requests themselves. */
  @FunctionalInterface
  public interface PassThroughSender {
    /**
     * Sends a request. Called on its event loop, which also receives the response.
     *
     * @return cancels the request; call it on the event loop
     */
    Runnable send(HttpExchange request, NodeResponseListener answer);
  }

  /**
   * The target of one read.
   *
   * @param uri path and query, renamed for the target
   */
  record Route(Target target, String uri) {}

  /** Is notified of comparisons with a verdict, on the comparing thread. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Two responses were compared.
     *
     * @param policy the name of the read's policy
     */
    void onCompared(String policy, boolean different);
  }

  /** Schedules delayed actions. Safe on any thread. */
  @FunctionalInterface
  public interface Scheduler {
    /**
     * Runs {@code action} on the event loop {@code eventLoop} after {@code delay}, unless it is
     * cancelled.
     *
     * @return cancels the action; call it on {@code eventLoop}
     */
    Runnable schedule(Duration delay, Executor eventLoop, Runnable action);
  }

  /**
   * The service's environment.
   *
   * @param isBusy whether the gateway is busy with clients' requests
   * @param eventLoops returns the event loop of the next read
   * @param memory opens the memory account of a shadow read, besides its copies
   * @param nanoClock such as {@link System#nanoTime()}
   * @param currentTimeMillis the wall clock
   * @param random from 0 (inclusive) to 1 (exclusive)
   */
  public record Dependencies(
      BooleanSupplier isBusy,
      Supplier<? extends Executor> eventLoops,
      Function<RequestCopy, RequestMemory> memory,
      Scheduler scheduler,
      LongSupplier nanoClock,
      LongSupplier currentTimeMillis,
      DoubleSupplier random) {}

  /**
   * Creates the service.
   *
   * @param targets clusters by name; null for an unavailable one
   * @param mostBytes bound of the bytes of all copies
   * @param listener is notified of comparisons
   */
  public ShadowService(
      Function<String, @Nullable Target> targets,
      long mostBytes,
      Dependencies around,
      Listener listener) {
    this.targets = targets;
    this.listener = listener;
    this.dependencies = around;
    this.memory = new MemoryPool(mostBytes);
    this.report = new ShadowReport(around.nanoClock(), around.currentTimeMillis());
    this.comparisonExecutor = new ComparisonExecutor();
  }

  /** The report of all shadow reads. */
  public ShadowReport report() {
    return report;
  }

  /** Shadow reads in flight; zero at rest. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Bytes of all copies; zero at rest. */
  public long heldBytes() {
    return memory.usedBytes();
  }

  /** Queued and running comparisons; zero at rest. */
  public int pendingComparisons() {
    return comparisonExecutor.waiting();
  }

  long nanoTime() {
    return dependencies.nanoClock().getAsLong();
  }

  /** Draws whether a read is repeated. */
  boolean shouldSample(ShadowPolicy policy) {
    return !isClosed && dependencies.random().getAsDouble() * PERCENT < policy.samplePercent();
  }

  /**
   * The target of a sampled read; null if it is not repeated.
   *
   * @param askedUri path and query as sent by the client
   */
  @Nullable Route chooseRoute(ShadowPolicy policy, String askedUri, long bodyLength) {
    Target target = targets.apply(policy.targetCluster());
    if (target == null) {
      report.recordSkip(ShadowSkipReason.UNREACHABLE);
    } else if (dependencies.isBusy().getAsBoolean()) {
      report.recordSkip(ShadowSkipReason.OVERLOAD);
    } else if (bodyLength > policy.maxBodyBytes().bytes()) {
      report.recordSkip(ShadowSkipReason.LARGE_BODY);
    } else {
      String uri = target.translateUri(askedUri);
      if (uri != null) {
        return new Route(target, uri);
      }
      report.recordSkip(ShadowSkipReason.UNTRANSLATABLE);
    }
    return null;
  }

  /**
   * Selects the target of a pass-through read with a body that was seen as the node received it.
   *
   * @param from the cluster of the read
   * @param bodyLength as announced; negative if unknown
   */
  @Nullable Route chooseRoute(ShadowPolicy policy, String from, String askedUri, long bodyLength) {
    Route way = chooseRoute(policy, askedUri, bodyLength);
    if (way == null || bodyLength == 0) {
      return way;
    }
    Target first = targets.apply(from);
    if (first == null || first.hasRenamedBodyIndices(askedUri)) {
      report.recordSkip(ShadowSkipReason.REWRITTEN_BODY);
      return null;
    }
    return way;
  }

  /**
   * Copies a request for a target; null if that fails, which is counted. The caller releases the
   * copy once. An exception affects only this copy.
   */
  @Nullable RequestCopy copyRequest(HttpExchange exchange, Target to) {
    long expected = exchange.originalBody().remaining();
    if (!memory.tryReserve(expected, 0)) {
      report.recordSkip(ShadowSkipReason.MEMORY_LIMIT);
      return null;
    }
    RequestCopy kept = null;
    try {
      ByteBuffer body =
          to.translateBody(exchange.originalUri(), exchange.headers(), exchange.originalBody());
      kept = body == null ? null : RequestCopy.copyOf(exchange, body);
      if (kept == null) {
        report.recordSkip(ShadowSkipReason.UNTRANSLATABLE);
      }
    } catch (RuntimeException e) {
      LOG.error("can't copy {} {} for another cluster", exchange.method(), exchange.uri(), e);
      report.recordSkip(ShadowSkipReason.INTERNAL_ERROR);
    }
    adjustCharge(expected, kept);
    return kept;
  }

  /** Reserves memory for a copy, minus the bytes already reserved; null if memory is short. */
  void adjustCharge(long paid, @Nullable RequestCopy kept) {
    long more = (kept == null ? 0 : kept.heapBytes()) - paid;
    if (more >= 0) {
      memory.forceReserve(more);
    } else {
      memory.release(-more);
    }
  }

  void release(RequestCopy kept) {
    memory.release(kept.heapBytes());
  }

  /**
   * Repeats a request after its response, within the bounds.
   *
   * @param kept is owned by this method
   * @param reply is read until this returns
   */
  void onResponse(SelectedRead asked, RequestCopy kept, BufferedResponse reply, long took) {
    int most = Math.toIntExact(asked.policy().maxBodyBytes().bytes());
    scheduleRead(asked, kept, () -> captureResponse(asked.kind(), reply, took, most));
  }

  /**
   * Repeats a request that a node answered.
   *
   * @param kept is owned by this method
   * @param primary is owned by this method
   */
  void onResponse(SelectedRead asked, RequestCopy kept, CapturedResponse primary) {
    AtomicBoolean taken = new AtomicBoolean();
    scheduleRead(
        asked,
        kept,
        () -> {
          taken.set(true);
          return primary;
        });
    if (!taken.get()) {
      release(primary);
    }
  }

  private void scheduleRead(
      SelectedRead asked, RequestCopy kept, Supplier<@Nullable CapturedResponse> answer) {
    ShadowSkipReason why = null;
    try {
      why = findSkipReason(asked.policy());
      if (why == null) {
        why = tryStart(asked, kept, answer.get());
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      LOG.error("can't repeat {} {}", kept.method(), kept.uri(), e);
      why = ShadowSkipReason.INTERNAL_ERROR;
    }
    if (why != null) {
      release(kept);
      report.recordSkip(why);
    }
  }

  private @Nullable ShadowSkipReason findSkipReason(ShadowPolicy policy) {
    if (isClosed) {
      return ShadowSkipReason.SHUTTING_DOWN;
    }
    if (dependencies.isBusy().getAsBoolean()) {
      return ShadowSkipReason.OVERLOAD;
    }
    return inFlight.get() >= policy.maxInFlight() ? ShadowSkipReason.IN_FLIGHT_LIMIT : null;
  }

  /** Starts the read and owns the copies from then on; otherwise counts the reason. */
  private @Nullable ShadowSkipReason tryStart(
      SelectedRead asked, RequestCopy kept, @Nullable CapturedResponse primary) {
    if (primary == null) {
      return ShadowSkipReason.MEMORY_LIMIT;
    }
    if (inFlight.incrementAndGet() > asked.policy().maxInFlight()) {
      inFlight.decrementAndGet();
      release(primary);
      return ShadowSkipReason.IN_FLIGHT_LIMIT;
    }
    ShadowReadTask run = newTask(asked, kept, primary);
    runs.add(run);
    run.start();
    if (isClosed) {
      run.cancel();
    }
    return null;
  }

  private ShadowReadTask newTask(SelectedRead asked, RequestCopy kept, CapturedResponse primary) {
    boolean made = false;
    try {
      ShadowReadTask run = new ShadowReadTask(this, asked, kept, primary);
      made = true;
      return run;
    } finally {
      if (!made) {
        inFlight.decrementAndGet();
        release(primary);
      }
    }
  }

  /** Copies a response; null if memory is short. */
  @Nullable CapturedResponse captureResponse(
      ReadKind kind, BufferedResponse reply, long took, int most) {
    long length = kind == ReadKind.EXISTS ? 0 : reply.body().length();
    if (length > most) {
      return new CapturedResponse(reply.status(), reply.contentType(), null, took);
    }
    if (!memory.tryReserve(length, 0)) {
      return null;
    }
    boolean copied = false;
    try {
      byte[] body = length == 0 ? new byte[0] : reply.body().toByteArray();
      copied = true;
      return new CapturedResponse(reply.status(), reply.contentType(), body, took);
    } finally {
      if (!copied) {
        memory.release(length);
      }
    }
  }

  void release(CapturedResponse answer) {
    byte[] body = answer.body();
    memory.release(body == null ? 0 : body.length);
  }

  /** Reserves memory for copies. */
  MemoryPool memory() {
    return memory;
  }

  Dependencies dependencies() {
    return dependencies;
  }

  Listener listener() {
    return listener;
  }

  ComparisonExecutor comparisonExecutor() {
    return comparisonExecutor;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Removes a finished read. */
  void onReadEnded(ShadowReadTask run) {
    if (runs.remove(run)) {
      inFlight.decrementAndGet();
    }
  }

  /** Cancels the reads in flight and starts no others. */
  @Override
  public void close() {
    isClosed = true;
    runs.forEach(ShadowReadTask::cancel);
    comparisonExecutor.close();
  }
}
