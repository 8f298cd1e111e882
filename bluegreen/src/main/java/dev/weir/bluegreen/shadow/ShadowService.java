package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BoundedCounter;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
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

  private final Function<String, @Nullable ShadowTarget> targets;
  private final ShadowEnvironment environment;
  private final CopyMemory copies;
  private final ShadowReport report;
  private final ComparisonExecutor comparisonExecutor;
  private final ShadowReadTask.Context taskContext;
  private final BoundedCounter inFlight = new BoundedCounter();
  private final Set<ShadowReadTask> tasks = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /**
   * Creates the service.
   *
   * @param targets clusters by name; null for an unavailable one
   * @param maxBytes bound of the bytes of all copies
   * @param listener is notified of comparisons
   */
  public ShadowService(
      Function<String, @Nullable ShadowTarget> targets,
      long maxBytes,
      ShadowEnvironment environment,
      ComparisonListener listener) {
    this.targets = targets;
    this.environment = environment;
    this.copies = new CopyMemory(maxBytes);
    this.report =
        new ShadowReport(environment.clocks().nanoTime(), environment.clocks().currentTimeMillis());
    this.comparisonExecutor = new ComparisonExecutor(copies, report, listener);
    this.taskContext =
        new ShadowReadTask.Context(
            environment.execution(),
            environment.clocks().nanoTime(),
            copies,
            report,
            comparisonExecutor,
            new TaskOwner());
  }

  /** The report of all shadow reads. */
  public ShadowReport report() {
    return report;
  }

  /** Shadow reads in flight; zero at rest. */
  public int inFlight() {
    return Math.toIntExact(inFlight.get());
  }

  /** Bytes of all copies; zero at rest. */
  public long heldBytes() {
    return copies.pool().usedBytes();
  }

  /** Queued and running comparisons; zero at rest. */
  public int pendingComparisons() {
    return comparisonExecutor.waiting();
  }

  long nanoTime() {
    return environment.clocks().nanoTime().getAsLong();
  }

  /** Draws whether a read is repeated. */
  boolean shouldSample(ShadowPolicy policy) {
    return !isClosed && environment.random().getAsDouble() * PERCENT < policy.samplePercent();
  }

  /**
   * The target of a sampled read; null if it is not repeated.
   *
   * @param originalUri path and query as sent by the client
   */
  SelectedRead.@Nullable Route chooseRoute(
      ShadowPolicy policy, String originalUri, long bodyLength) {
    ShadowTarget target = targets.apply(policy.targetCluster());
    if (target == null) {
      report.recordSkip(ShadowSkipReason.UNREACHABLE);
    } else if (environment.isBusy().getAsBoolean()) {
      report.recordSkip(ShadowSkipReason.OVERLOAD);
    } else if (bodyLength > policy.maxBodyBytes().bytes()) {
      report.recordSkip(ShadowSkipReason.LARGE_BODY);
    } else {
      String uri = target.translateUri(originalUri);
      if (uri != null) {
        return new SelectedRead.Route(target, uri);
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
  SelectedRead.@Nullable Route chooseRoute(
      ShadowPolicy policy, String from, String originalUri, long bodyLength) {
    SelectedRead.Route route = chooseRoute(policy, originalUri, bodyLength);
    if (route == null || bodyLength == 0) {
      return route;
    }
    ShadowTarget source = targets.apply(from);
    if (source == null || source.hasRenamedBodyIndices(originalUri)) {
      report.recordSkip(ShadowSkipReason.REWRITTEN_BODY);
      return null;
    }
    return route;
  }

  /**
   * Copies a request for a target; null if that fails, which is counted. The caller releases the
   * copy once. An exception affects only this copy.
   */
  @Nullable RequestCopy copyRequest(HttpExchange exchange, ShadowTarget target) {
    long expected = exchange.originalBody().remaining();
    if (!copies.pool().tryReserve(expected, 0)) {
      report.recordSkip(ShadowSkipReason.MEMORY_LIMIT);
      return null;
    }
    RequestCopy copy = null;
    try {
      ByteBuffer body =
          target.translateBody(exchange.originalUri(), exchange.headers(), exchange.originalBody());
      copy = body == null ? null : RequestCopy.copyOf(exchange, body);
      if (copy == null) {
        report.recordSkip(ShadowSkipReason.UNTRANSLATABLE);
      }
    } catch (RuntimeException e) {
      LOG.error("can't copy {} {} for another cluster", exchange.method(), exchange.uri(), e);
      report.recordSkip(ShadowSkipReason.INTERNAL_ERROR);
    }
    copies.adjust(expected, copy);
    return copy;
  }

  /**
   * Repeats a request after its response, within the bounds.
   *
   * @param request is owned by this method
   * @param response is read until this returns
   */
  void onResponse(
      SelectedRead selected, RequestCopy request, BufferedResponse response, long responseNanos) {
    scheduleRead(
        selected,
        request,
        () -> copies.capture(selected.kind(), response, responseNanos, selected.maxBodyBytes()));
  }

  /**
   * Repeats a request that a node answered.
   *
   * @param request is owned by this method
   * @param primary is owned by this method
   */
  void onResponse(SelectedRead selected, RequestCopy request, CapturedResponse primary) {
    AtomicBoolean taken = new AtomicBoolean();
    scheduleRead(
        selected,
        request,
        () -> {
          taken.set(true);
          return primary;
        });
    if (!taken.get()) {
      copies.release(primary);
    }
  }

  private void scheduleRead(
      SelectedRead selected, RequestCopy request, Supplier<@Nullable CapturedResponse> primary) {
    ShadowSkipReason skipReason = null;
    try {
      skipReason = findSkipReason(selected.policy());
      if (skipReason == null) {
        skipReason = tryStart(selected, request, primary.get());
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      LOG.error("can't repeat {} {}", request.method(), request.uri(), e);
      skipReason = ShadowSkipReason.INTERNAL_ERROR;
    }
    if (skipReason != null) {
      copies.release(request);
      report.recordSkip(skipReason);
    }
  }

  private @Nullable ShadowSkipReason findSkipReason(ShadowPolicy policy) {
    if (isClosed) {
      return ShadowSkipReason.SHUTTING_DOWN;
    }
    if (environment.isBusy().getAsBoolean()) {
      return ShadowSkipReason.OVERLOAD;
    }
    return inFlight.get() >= policy.maxInFlight() ? ShadowSkipReason.IN_FLIGHT_LIMIT : null;
  }

  /** Starts the read and owns the copies from then on; otherwise counts the reason. */
  private @Nullable ShadowSkipReason tryStart(
      SelectedRead selected, RequestCopy request, @Nullable CapturedResponse primary) {
    if (primary == null) {
      return ShadowSkipReason.MEMORY_LIMIT;
    }
    if (!inFlight.tryAdd(1, selected.policy().maxInFlight())) {
      copies.release(primary);
      return ShadowSkipReason.IN_FLIGHT_LIMIT;
    }
    ShadowReadTask task = newTask(selected, request, primary);
    tasks.add(task);
    task.start();
    if (isClosed) {
      task.cancel();
    }
    return null;
  }

  private ShadowReadTask newTask(
      SelectedRead selected, RequestCopy request, CapturedResponse primary) {
    boolean created = false;
    try {
      ShadowReadTask task = new ShadowReadTask(taskContext, selected, request, primary);
      created = true;
      return task;
    } finally {
      if (!created) {
        inFlight.subtract(1);
        copies.release(primary);
      }
    }
  }

  CopyMemory copies() {
    return copies;
  }

  /** The reads report to it. */
  private final class TaskOwner implements ShadowReadTask.Owner {
    @Override
    public boolean isClosed() {
      return isClosed;
    }

    @Override
    public void onReadEnded(ShadowReadTask task) {
      if (tasks.remove(task)) {
        inFlight.subtract(1);
      }
    }
  }

  /** Cancels the reads in flight and starts no others. */
  @Override
  public void close() {
    isClosed = true;
    tasks.forEach(ShadowReadTask::cancel);
    comparisonExecutor.close();
  }
}
