package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.StreamingResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Repeats some of a cluster's reads on another cluster, after the client has its response. Copies
 * the request while the first cluster executes it, and the response when it has been handed over.
 * Safe on any thread.
 */
public final class ShadowReadFilter implements RequestFilter {
  private final ReadSource source;
  private final ShadowPolicy policy;
  private final ShadowService service;

  /**
   * Creates a filter.
   *
   * @param policy which reads are repeated, on which cluster
   */
  public ShadowReadFilter(ReadSource source, ShadowPolicy policy, ShadowService service) {
    this.source = source;
    this.policy = policy;
    this.service = service;
  }

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    ReadKind kind =
        policy.targetCluster().isEmpty()
                || policy.targetCluster().equals(source.cluster())
                || exchange.sectionedBody() != null
            ? null
            : ReadKind.of(exchange.method(), exchange.uri());
    SelectedRead.Route route =
        kind == null || !service.shouldSample(policy)
            ? null
            : service.chooseRoute(policy, exchange.originalUri(), exchange.body().remaining());
    if (kind == null || route == null) {
      next.handle(exchange);
      return;
    }
    ObservedExchange observed =
        new ObservedExchange(
            exchange,
            new SelectedRead(kind, policy, source, route, SelectedRead.Responder.EITHER),
            service.nanoTime());
    try {
      next.handle(observed);
    } catch (RuntimeException | Error e) {
      observed.skip(ShadowSkipReason.INTERNAL_ERROR);
      throw e;
    }
    observed.copyRequest();
  }

  /** A read with a response that will be compared. Its lock is held for the copy of the request. */
  private final class ObservedExchange extends ForwardingExchange {
    private final HttpExchange client;
    private final SelectedRead selected;
    private final long startNanos;
    private @Nullable RequestCopy copy;
    private boolean finished;
    private boolean nodesLost;

    ObservedExchange(HttpExchange client, SelectedRead selected, long startNanos) {
      super(client);
      this.client = client;
      this.selected = selected;
      this.startNanos = startNanos;
    }

    /**
     * Copies the request unless it is copied or finished; the body is valid only until it finishes.
     */
    synchronized void copyRequest() {
      if (!finished && copy == null) {
        copy = service.copyRequest(client, selected.route().target());
        finished = copy == null;
      }
    }

    /** Finishes the read and returns its request; null if it is not repeated. */
    private synchronized @Nullable RequestCopy takeCopy() {
      copyRequest();
      finished = true;
      RequestCopy taken = copy;
      copy = null;
      return taken;
    }

    /** Finishes the read without repeating it; returns false if it was finished, and counted. */
    private boolean finish() {
      boolean first;
      RequestCopy held;
      synchronized (this) {
        first = !finished;
        finished = true;
        held = copy;
        copy = null;
      }
      if (held != null) {
        service.copies().release(held);
      }
      return first;
    }

    /** Finishes the read without repeating it, and counts why. */
    void skip(ShadowSkipReason why) {
      if (finish()) {
        service.report().recordSkip(why);
      }
    }

    /** Finishes the read as not comparable. */
    private void incomparable(ComparisonVerdict.Reason why) {
      if (finish()) {
        service.report().incomparable(selected.kind(), why);
      }
    }

    @Override
    public void markIncomplete() {
      nodesLost = true;
      super.markIncomplete();
    }

    @Override
    public void respond(BufferedResponse reply) {
      if (nodesLost) {
        incomparable(ComparisonVerdict.Reason.UNREACHABLE_NODES);
        super.respond(reply);
        return;
      }
      if (CapturedResponse.isRejection(reply.status())) {
        skip(ShadowSkipReason.REJECTED);
        super.respond(reply);
        return;
      }
      RequestCopy request = takeCopy();
      if (request == null) {
        super.respond(reply);
        return;
      }
      long took = service.nanoTime() - startNanos;
      AtomicInteger readers = new AtomicInteger(2);
      Runnable read =
          () -> {
            if (readers.decrementAndGet() == 0) {
              reply.onReleased().run();
            }
          };
      try {
        super.respond(
            new BufferedResponse(
                reply.status(), reply.contentType(), reply.headers(), reply.body(), read));
      } finally {
        service.onResponse(
            GatewayFormatDetector.isGatewayFormat(request, reply)
                ? selected.withResponder(SelectedRead.Responder.GATEWAY)
                : selected,
            request,
            reply,
            took);
        read.run();
      }
    }

    @Override
    public void respond(StreamingResponse reply) {
      incomparable(ComparisonVerdict.Reason.LONG_RESPONSE);
      super.respond(reply);
    }

    @Override
    public void passThrough(String reason) {
      if (policy.passThroughEnabled()) {
        finish(); // it may be sampled again on its way to a node
      } else {
        incomparable(ComparisonVerdict.Reason.PASSED_THROUGH);
      }
      super.passThrough(reason);
    }

    @Override
    public void drop() {
      skip(ShadowSkipReason.CLIENT_DISCONNECTED);
      super.drop();
    }
  }
}
