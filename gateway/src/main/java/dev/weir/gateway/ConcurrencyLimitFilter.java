package dev.weir.gateway;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.Permit;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.StreamingResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request in or answers it with 429, in OpenSearch's own words. The permit is given back
 * when the response's last byte has left, the request passes through, or, where the client is gone,
 * the work for it has ended.
 */
final class ConcurrencyLimitFilter implements RequestHandler {
  private static final int TOO_MANY_REQUESTS = 429;

  private final ConcurrencyLimiter admission;
  private final PolicyBulkheads bulkheads;
  private final RejectionRecorder refusals;
  private final RequestHandler handler;

  /**
   * Makes one.
   *
   * @param admission bounds all requests
   * @param bulkheads bound those of their policies
   */
  ConcurrencyLimitFilter(
      ConcurrencyLimiter admission,
      PolicyBulkheads bulkheads,
      RejectionRecorder refusals,
      RequestHandler handler) {
    this.admission = admission;
    this.bulkheads = bulkheads;
    this.refusals = refusals;
    this.handler = handler;
  }

  @Override
  public void handle(HttpExchange exchange) {
    switch (tryAcquire(bulkheads.limiterFor(exchange.policy()))) {
      case AdmissionDecision.Admitted(Permit permit) -> {
        try {
          handler.handle(new AdmittedExchange(exchange, permit));
        } catch (RuntimeException | Error e) {
          permit.close();
          throw e;
        }
      }
      case AdmissionDecision.Rejected refused -> {
        refusals.recordInFlight(exchange, refused);
        exchange.respond(rejection(refused));
      }
    }
  }

  /** Asks for a place among its policy's requests first, where these are bounded. */
  private AdmissionDecision tryAcquire(@Nullable ConcurrencyLimiter own) {
    if (own == null) {
      return admission.tryAcquire();
    }
    return switch (own.tryAcquire()) {
      case AdmissionDecision.Rejected refused -> refused;
      case AdmissionDecision.Admitted(Permit place) ->
          switch (admission.tryAcquire()) {
            case AdmissionDecision.Admitted(Permit permit) ->
                new AdmissionDecision.Admitted(permit.combine(place));
            case AdmissionDecision.Rejected refused -> {
              place.close();
              yield refused;
            }
          };
    };
  }

  private static BufferedResponse rejection(AdmissionDecision.Rejected refused) {
    return new BufferedResponse(
        TOO_MANY_REQUESTS,
        "application/json; charset=UTF-8",
        List.copyOf(retryHeaders(refused).entrySet()),
        List.of(errorBody(refused).bytes(false)),
        () -> {});
  }

  /** What the client of a refused request is told. */
  static ErrorBody errorBody(AdmissionDecision.Rejected refused) {
    return new ErrorBody(TOO_MANY_REQUESTS, "rejected_execution_exception", refused.message());
  }

  /** When it may come again. */
  static Map<String, String> retryHeaders(AdmissionDecision.Rejected refused) {
    return Map.of(
        "Retry-After", Long.toString(Math.ceilDiv(refused.retryAfter().toMillis(), 1000)));
  }

  /** The exchange of a request that was let in. */
  private static final class AdmittedExchange extends ForwardingExchange {
    private final Permit permit;

    AdmittedExchange(HttpExchange exchange, Permit permit) {
      super(exchange);
      this.permit = permit;
    }

    @Override
    public void respond(BufferedResponse reply) {
      super.respond(
          new BufferedResponse(
              reply.status(),
              reply.contentType(),
              reply.headers(),
              reply.body(),
              () -> {
                permit.close();
                reply.onReleased().run();
              }));
    }

    @Override
    public void respond(StreamingResponse reply) {
      super.respond(
          new StreamingResponse(
              reply.status(),
              reply.contentType(),
              reply.headers(),
              reply.body(),
              () -> {
                permit.close();
                reply.onReleased().run();
              }));
    }

    @Override
    public void passThrough(String reason) {
      permit.close();
      super.passThrough(reason);
    }

    @Override
    public void drop() {
      permit.close();
      super.drop();
    }
  }
}
