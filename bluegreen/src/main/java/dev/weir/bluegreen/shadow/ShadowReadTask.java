package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpStatus;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read on the other cluster. Owns the copies of the request and of both responses until it
 * ends, when it passes them to the comparison or releases them. Confined to its event loop.
 *
 * <pre>
 *   started --response--> queued for comparison
 *      |  `--needs a node--> at a node --response--^
 *      `--------------------------`-----------> skipped, or not comparable
 * </pre>
 */
final class ShadowReadTask implements NodeShadowRead.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowReadTask.class);

  /** The timeout of a shadow read. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

  private static final String POINT_IN_TIME = "\"pit\"";

  private final Context context;
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

  /** Starts reads, and is notified of their ends. */
  interface Owner {
    /** Whether no further read may start. */
    boolean isClosed();

    void onReadEnded(ShadowReadTask task);
  }

  /** What all reads share. */
  record Context(
      ShadowEnvironment.Execution execution,
      LongSupplier nanoTime,
      CopyMemory copies,
      ShadowReport report,
      ComparisonExecutor comparisons,
      Owner owner) {}

  ShadowReadTask(
      Context context, SelectedRead selected, RequestCopy request, CapturedResponse primary) {
    this.context = context;
    this.selected = selected;
    this.request = request;
    this.primary = primary;
    this.startNanos = context.nanoTime().getAsLong();
    this.internalExchange =
        new InternalExchange(
            request.withUri(selected.route().uri()),
            context.execution().eventLoops().get(),
            new BackgroundRequestMemory(context.execution().memory().apply(request)),
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
        context
            .execution()
            .scheduler()
            .schedule(
                RESPONSE_TIMEOUT,
                internalExchange.eventLoop(),
                () -> {
                  timedOut = true;
                  cancel();
                });
    if (selected.responder() != SelectedRead.Responder.NODE) {
      selected.route().target().handler().handle(exchange);
    } else if (!trySendToNode(exchange)) {
      exchange.passThrough("no-way");
    }
  }

  /** Passes the read to a node of the other cluster if that is allowed; returns whether it did. */
  private boolean trySendToNode(HttpExchange exchange) {
    boolean isAllowed =
        selected.policy().passThroughEnabled()
            && selected.responder() != SelectedRead.Responder.GATEWAY;
    ShadowTarget.PassThroughSender nodes =
        isAllowed ? selected.route().target().passThroughSender() : null;
    if (nodes == null || nodeRead != null || timedOut || context.owner().isClosed()) {
      return false;
    }
    NodeShadowRead read =
        new NodeShadowRead(
            new ResponseCopy(context.copies().pool(), selected.maxBodyBytes()), this);
    nodeRead = read;
    read.start(nodes, exchange);
    return true;
  }

  private long responseNanos() {
    return context.nanoTime().getAsLong() - startNanos;
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
    InternalExchange.Outcome result = last;
    finish(() -> handOver(result), result::release);
  }

  @Override
  public void onResponse(ResponseCopy response) {
    finish(() -> compare(response.toCapturedResponse(responseNanos())), () -> {});
  }

  @Override
  public void onFailure(int status) {
    finish(() -> handOver(status), () -> {});
  }

  /**
   * Ends the read.
   *
   * @param handOver returns whether the comparison owns the copies now
   * @param releaseResponse releases the original response
   */
  private void finish(BooleanSupplier handOver, Runnable releaseResponse) {
    if (ended) {
      return;
    }
    ended = true;
    timeoutCancellation.run();
    boolean handedOver = false;
    try {
      handedOver = handOver.getAsBoolean();
    } finally {
      releaseResponse.run();
      context.owner().onReadEnded(this);
      if (!handedOver) {
        release();
      }
    }
  }

  private boolean handOver(int failureStatus) {
    if (failureStatus == 0) {
      return timedOut
          ? incomparable(Reason.NO_RESPONSE_IN_TIME)
          : skip(ShadowSkipReason.SHUTTING_DOWN);
    }
    return incomparable(
        CapturedResponse.isRejection(failureStatus)
                && failureStatus != HttpStatus.SERVICE_UNAVAILABLE
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
    return context
        .copies()
        .capture(selected.kind(), reply, responseNanos(), selected.maxBodyBytes());
  }

  private boolean compare(@Nullable CapturedResponse response) {
    if (response == null) {
      return skip(ShadowSkipReason.MEMORY_LIMIT);
    }
    shadow = response;
    if (context.owner().isClosed()) {
      return skip(ShadowSkipReason.SHUTTING_DOWN);
    }
    return context.comparisons().submit(new ShadowComparison(selected, request, primary, response))
        || skip(ShadowSkipReason.COMPARISON_QUEUE_FULL);
  }

  private boolean incomparable(Reason why) {
    context.report().incomparable(selected.kind(), why);
    return false;
  }

  private boolean skip(ShadowSkipReason why) {
    context.report().recordSkip(why);
    return false;
  }

  private void release() {
    context.copies().release(request);
    context.copies().release(primary);
    CapturedResponse captured = shadow;
    if (captured != null) {
      context.copies().release(captured);
    }
  }
}
