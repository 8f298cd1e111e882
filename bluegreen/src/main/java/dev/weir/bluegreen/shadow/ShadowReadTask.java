package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import dev.weir.bluegreen.shadow.ShadowReadFilter.SelectedRead;
import dev.weir.model.BufferedResponse;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpExchange;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read on the other cluster, and then its comparison. Owns the copies of the request and of
 * both answers, and gives them back when it ends. Confined to its event loop until it goes to the
 * comparing thread.
 *
 * <pre>
 *   begun --answer--> waits to be compared --> counted
 *     |  `--needs a node--> at a node --answer--^
 *     `--------------------------`-----------> left out, or not comparable
 * </pre>
 */
final class ShadowReadTask implements Runnable, NodeShadowRead.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowReadTask.class);

  /** The timeout of a shadow read. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

  private static final int UNAVAILABLE = 503;
  private static final String POINT_IN_TIME = "\"pit\"";

  private final ShadowService service;
  private final SelectedRead selected;
  private final RequestCopy request;
  private final CapturedResponse primary;
  private final InternalExchange internalExchange;
  private final long startNanos;
  private Runnable timeoutCancellation = () -> {};
  private boolean timedOut;
  private boolean boundToCluster;
  private boolean ended;
  private @Nullable NodeShadowRead nodeRead;
  private @Nullable CapturedResponse shadow;

  ShadowReadTask(
      ShadowService service, SelectedRead asked, RequestCopy request, CapturedResponse primary) {
    this.service = service;
    this.selected = asked;
    this.request = request;
    this.primary = primary;
    this.startNanos = service.nanoTime();
    this.internalExchange =
        new InternalExchange(
            request.withUri(asked.route().uri()),
            service.dependencies().eventLoops().get(),
            new BackgroundRequestMemory(service.dependencies().memory().apply(request)),
            startNanos,
            this::onOutcome);
  }

  /** Sends the read. On any thread, once. */
  void start() {
    internalExchange.start(this::send);
  }

  /** Cancels the read. On any thread. */
  void cancel() {
    internalExchange.cancel();
    internalExchange.runOnEventLoop(() -> {
      if (nodeRead != null) {
        nodeRead.cancel();
      }
    });
  }

  private void send(HttpExchange exchange) {
    if (request.bodyText().contains(POINT_IN_TIME)) {
      boundToCluster = true;
      exchange.drop();
      return;
    }
    timeoutCancellation =
        service
            .dependencies()
            .scheduler()
            .schedule(
                RESPONSE_TIMEOUT,
                internalExchange.eventLoop(),
                () -> {
                  timedOut = true;
                  cancel();
                });
    if (selected.responder() != ShadowReadFilter.Responder.NODE) {
      selected.route().target().handler().handle(exchange);
    } else if (!trySendToNode(exchange)) {
      exchange.passThrough("no-way");
    }
  }

  /** Passes the read to a node of the other cluster if that is allowed; returns whether it did. */
  private boolean trySendToNode(HttpExchange exchange) {
    boolean may =
        selected.policy().passThroughEnabled()
            && selected.responder() != ShadowReadFilter.Responder.GATEWAY;
    ShadowService.PassThroughSender nodes =
        may ? selected.route().target().passThroughSender() : null;
    if (nodes == null || nodeRead != null || timedOut || service.isClosed()) {
      return false;
    }
    NodeShadowRead begun =
        new NodeShadowRead(new ResponseCopy(service.memory(), maxBodyBytes()), this);
    nodeRead = begun;
    begun.start(nodes, exchange);
    return true;
  }

  private int maxBodyBytes() {
    return Math.toIntExact(selected.policy().maxBodyBytes().bytes());
  }

  private void onOutcome(InternalExchange.Outcome outcome) {
    InternalExchange.Outcome last = outcome;
    try {
      if (outcome instanceof InternalExchange.Outcome.PassedThrough
          && trySendToNode(internalExchange)) {
        return;
      }
    } catch (RuntimeException | AssertionError e) {
      last = new InternalExchange.Outcome.Failed(e);
    }
    InternalExchange.Outcome settled = last;
    finish(() -> handOver(settled), settled::release);
  }

  @Override
  public void onResponse(ResponseCopy answer) {
    long took = service.nanoTime() - startNanos;
    finish(() -> compare(answer.toCapturedResponse(took)), () -> {});
  }

  @Override
  public void onFailure(int status) {
    finish(() -> handOver(status), () -> {});
  }

  /**
   * Ends the read.
   *
   * @param settled whether the comparison owns the copies now
   * @param then releases the response
   */
  private void finish(BooleanSupplier settled, Runnable then) {
    if (ended) {
      return;
    }
    ended = true;
    timeoutCancellation.run();
    boolean handed = false;
    try {
      handed = settled.getAsBoolean();
    } finally {
      then.run();
      service.onReadEnded(this);
      if (!handed) {
        release();
      }
    }
  }

  private boolean handOver(int brokenStatus) {
    if (brokenStatus == 0) {
      return timedOut
          ? incomparable(Reason.NO_RESPONSE_IN_TIME)
          : skip(ShadowSkipReason.SHUTTING_DOWN);
    }
    return incomparable(
        CapturedResponse.isRejection(brokenStatus) && brokenStatus != UNAVAILABLE
            ? Reason.REJECTED
            : Reason.UNREACHABLE_NODES);
  }

  /** Whether the comparison owns the copies. */
  private boolean handOver(InternalExchange.Outcome outcome) {
    return switch (outcome) {
      case InternalExchange.Outcome.Responded(BufferedResponse reply, boolean lostNodes) ->
          lostNodes ? incomparable(Reason.UNREACHABLE_NODES) : compare(captureReply(reply));
      case InternalExchange.Outcome.Streamed _ -> incomparable(Reason.LONG_RESPONSE);
      case InternalExchange.Outcome.PassedThrough _ -> incomparable(Reason.PASSED_THROUGH);
      case InternalExchange.Outcome.Cancelled _ -> {
        if (timedOut) {
          yield incomparable(Reason.NO_RESPONSE_IN_TIME);
        }
        yield skip(
            boundToCluster ? ShadowSkipReason.BOUND_TO_CLUSTER : ShadowSkipReason.SHUTTING_DOWN);
      }
      case InternalExchange.Outcome.Failed(Throwable defect) -> {
        LOG.error(
            "handler failed on the repeated {} {}",
            request.method(),
            internalExchange.uri(),
            defect);
        yield skip(ShadowSkipReason.INTERNAL_ERROR);
      }
    };
  }

  private @Nullable CapturedResponse captureReply(BufferedResponse reply) {
    return service.captureResponse(
        selected.kind(), reply, service.nanoTime() - startNanos, maxBodyBytes());
  }

  private boolean compare(@Nullable CapturedResponse seen) {
    if (seen == null) {
      return skip(ShadowSkipReason.MEMORY_LIMIT);
    }
    shadow = seen;
    if (service.isClosed()) {
      return skip(ShadowSkipReason.SHUTTING_DOWN);
    }
    return service.comparisonExecutor().submit(this)
        || skip(ShadowSkipReason.COMPARISON_QUEUE_FULL);
  }

  private boolean incomparable(Reason why) {
    service.report().incomparable(selected.kind(), why);
    return false;
  }

  private boolean skip(ShadowSkipReason why) {
    service.report().recordSkip(why);
    return false;
  }

  private void release() {
    service.release(request);
    service.release(primary);
    CapturedResponse seen = shadow;
    if (seen != null) {
      service.release(seen);
    }
  }

  /** Skips the comparison because the gateway stops. */
  void discard() {
    skip(ShadowSkipReason.SHUTTING_DOWN);
    release();
  }

  /** Compares the responses, on the comparing thread. */
  @Override
  public void run() {
    CapturedResponse seen = shadow;
    try {
      if (seen != null) {
        ResponseComparator comparison =
            new ResponseComparator(
                selected.kind(),
                new ResponseComparator.Tolerances(
                    selected.policy().tolerances().maxAggregationDifference(),
                    selected.policy().tolerances().minHitOverlap()),
                HitsComparator.Paging.parse(request));
        DifferenceCollector findings =
            comparison.compare(
                ResponseDecoder.decode(primary, maxBodyBytes()),
                ResponseDecoder.decode(seen, maxBodyBytes()));
        service
            .report()
            .compared(
                new ShadowReport.ComparedPair(
                    selected.kind(),
                    selected.source().cluster(),
                    selected.route().target().cluster(),
                    DisplayFormat.formatRequest(request.method(), request.uri()),
                    primary.nanos(),
                    seen.nanos()),
                findings);
        switch (findings.toVerdict()) {
          case ComparisonVerdict.Same _, ComparisonVerdict.Similar _ ->
              service.listener().onCompared(selected.source().policy(), false);
          case ComparisonVerdict.Different _ ->
              service.listener().onCompared(selected.source().policy(), true);
          case ComparisonVerdict.NotComparable _ -> {
            // the status says nothing about the other cluster
          }
        }
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      LOG.error("can't compare the responses to {} {}", request.method(), request.uri(), e);
      incomparable(Reason.INTERNAL_ERROR);
    } finally {
      release();
    }
  }
}
