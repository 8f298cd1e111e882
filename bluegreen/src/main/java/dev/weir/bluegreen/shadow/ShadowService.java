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
 * Repeats reads on another cluster and has the answers compared, as far as there is room: whatever
 * there is no room for is left out, and counted. Safe on any thread; never blocks.
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

  /** A cluster that reads are repeated on. */
  public interface Target {
    /** Its name in the configuration. */
    String cluster();

    /** Carries requests out, without asking whether clients' requests leave room for that. */
    RequestHandler handler();

    /**
     * Path and query as this cluster knows them.
     *
     * @param uri as the client sent them
     * @return null where they can't be said there
     */
    default @Nullable String translateUri(String uri) {
      return uri;
    }

    /** Whether it has other names for indices that the body of a request may name. */
    default boolean hasRenamedBodyIndices(String askedUri) {
      return false;
    }

    /** The way through to its nodes; null for none. */
    default @Nullable PassThroughSender passThroughSender() {
      return null;
    }

    /**
     * A copy of a request's body as this cluster knows it.
     *
     * @param asked as the client sent it
     * @return null where it can't be said there
     */
    default @Nullable ByteBuffer translateBody(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      return RequestCopy.copyBytes(asked);
    }
  }

  /** The way through to the nodes of a cluster, which check by themselves who asks. */
  @FunctionalInterface
  public interface PassThroughSender {
    /**
     * Sends a request. Called on its home, where its answer is heard.
     *
     * @return stops it; used on its home
     */
    Runnable send(HttpExchange request, NodeResponseListener answer);
  }

  /**
   * A way to a cluster for one read.
   *
   * @param uri path and query as it knows them
   */
  record Route(Target target, String uri) {}

  /** Hears of comparisons that came to something. On the thread that compares. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Two answers were compared.
     *
     * @param policy the name of the policy that the read went by
     */
    void onCompared(String policy, boolean different);
  }

  /** Runs something later. Safe on any thread. */
  @FunctionalInterface
  public interface Scheduler {
    /**
     * Runs {@code action} on {@code home} once {@code delay} has passed, unless it is called off.
     *
     * @return calls it off; used on {@code home}
     */
    Runnable schedule(Duration delay, Executor home, Runnable action);
  }

  /**
   * What it works with.
   *
   * @param isBusy whether clients' requests leave no room
   * @param eventLoops gives a home, which runs one task at a time: another one with each call
   * @param memory opens what a repeated read may hold beside its copies
   * @param nanoClock such as {@link System#nanoTime()}
   * @param currentTimeMillis the time of day
   * @param random from 0, to below 1
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
   * Makes it.
   *
   * @param targets clusters by their names; null for one that can't be reached
   * @param mostBytes that copies of requests and answers may take together
   * @param listener hears what comparisons came to
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

  /** What came of it. */
  public ShadowReport report() {
    return report;
  }

  /** Repeated reads that are under way; zero at rest. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Bytes of copies that are held; zero at rest. */
  public long heldBytes() {
    return memory.usedBytes();
  }

  /** Pairs of answers that wait to be compared, and the one that is; zero at rest. */
  public int pendingComparisons() {
    return comparisonExecutor.waiting();
  }

  long nanoTime() {
    return dependencies.nanoClock().getAsLong();
  }

  /** Whether a read is drawn to be repeated. */
  boolean shouldSample(ShadowPolicy policy) {
    return !isClosed && dependencies.random().getAsDouble() * PERCENT < policy.samplePercent();
  }

  /**
   * Where a read that was drawn is repeated; null where it is not.
   *
   * @param askedUri path and query as its client sent them
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
   * Chooses the way of a read that passed through, whose body was seen as a node got it.
   *
   * @param from the cluster that it went to
   * @param bodyLength as announced; negative when it is not known
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
   * Copies a request for a cluster; null where that can't be: then it is told why. Whoever has it
   * gives it back once. A defect is this copy's own.
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

  /** Pays for a copy what it takes, of which some bytes are paid already; null: for nothing. */
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
   * The client has its answer: repeats the request elsewhere, where there is room.
   *
   * @param kept is taken
   * @param reply is read until this returns
   */
  void onResponse(SelectedRead asked, RequestCopy kept, BufferedResponse reply, long took) {
    int most = Math.toIntExact(asked.policy().maxBodyBytes().bytes());
    scheduleRead(asked, kept, () -> captureResponse(asked.kind(), reply, took, most));
  }

  /**
   * The same for a request that a node answered.
   *
   * @param kept is taken
   * @param primary is taken
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

  /** Begins it, and owns what was kept then; or says why not. */
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

  /** Copies an answer; null where there is no room. */
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

  /** Pays for copies. */
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

  /** A repeated read has ended. */
  void onReadEnded(ShadowReadTask run) {
    if (runs.remove(run)) {
      inFlight.decrementAndGet();
    }
  }

  /** Stops what is under way; begins nothing more. */
  @Override
  public void close() {
    isClosed = true;
    runs.forEach(ShadowReadTask::cancel);
    comparisonExecutor.close();
  }
}
