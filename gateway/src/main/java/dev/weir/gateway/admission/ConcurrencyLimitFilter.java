package dev.weir.gateway.admission;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.Permit;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.StreamingResponse;
import java.util.Map;

/**
 * Admits a request, or rejects it with 429 in OpenSearch's format. The permit is returned when the
 * response's last byte has left, when the request passes through, when nodes were lost so that
 * another cluster may be asked, or, if the client has disconnected, when the work for it has ended.
 */
public final class ConcurrencyLimitFilter implements RequestFilter {

  private final RequestLimits limits;

  public ConcurrencyLimitFilter(RequestLimits limits) {
    this.limits = limits;
  }

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    switch (limits.tryAcquire(exchange.policy())) {
      case AdmissionDecision.Admitted(Permit permit) -> {
        try {
          next.handle(new AdmittedExchange(exchange, permit));
        } catch (RuntimeException | Error e) {
          permit.close();
          throw e;
        }
      }
      case AdmissionDecision.Rejected rejected -> {
        limits.rejections().recordInFlight(exchange, rejected);
        exchange.respond(rejection(rejected, HttpHeaderRules.isPretty(exchange.uri())));
      }
    }
  }

  private static BufferedResponse rejection(AdmissionDecision.Rejected rejected, boolean pretty) {
    return errorBody(rejected).toReply(retryHeaders(rejected), pretty);
  }

  /** The body of the rejection. */
  static ErrorBody errorBody(AdmissionDecision.Rejected rejected) {
    return new ErrorBody(
        HttpStatus.TOO_MANY_REQUESTS, "rejected_execution_exception", rejected.message());
  }

  /** Tells the client when to retry. */
  static Map<String, String> retryHeaders(AdmissionDecision.Rejected rejected) {
    return Map.of(
        "Retry-After", Long.toString(Math.ceilDiv(rejected.retryAfter().toMillis(), 1000)));
  }

  /** Returns the permit when the request ends. */
  private static final class AdmittedExchange extends ForwardingExchange {
    private final Permit permit;
    private boolean incomplete;

    AdmittedExchange(HttpExchange exchange, Permit permit) {
      super(exchange);
      this.permit = permit;
    }

    @Override
    public void markIncomplete() {
      incomplete = true;
      super.markIncomplete();
    }

    @Override
    public void respond(BufferedResponse reply) {
      if (incomplete) {
        permit.close(); // another cluster may be asked, which needs a permit of its own
      }
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
