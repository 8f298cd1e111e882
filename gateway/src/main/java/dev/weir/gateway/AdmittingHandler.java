package dev.weir.gateway;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.Permit;
import dev.weir.http.ErrorBody;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestHandler;
import dev.weir.model.StreamedReply;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request in or answers it with 429, in OpenSearch's own words. The permit is given back
 * when the response's last byte has left, the request passes through, or, where the client is gone,
 * the work for it has ended.
 */
final class AdmittingHandler implements RequestHandler {
  private static final int TOO_MANY_REQUESTS = 429;

  private final AdmissionController admission;
  private final Bulkheads bulkheads;
  private final KeptRefusals refusals;
  private final RequestHandler handler;

  /**
   * Makes one.
   *
   * @param admission bounds all requests
   * @param bulkheads bound those of their policies
   */
  AdmittingHandler(
      AdmissionController admission,
      Bulkheads bulkheads,
      KeptRefusals refusals,
      RequestHandler handler) {
    this.admission = admission;
    this.bulkheads = bulkheads;
    this.refusals = refusals;
    this.handler = handler;
  }

  @Override
  public void handle(HttpExchange exchange) {
    switch (ask(bulkheads.of(exchange.policy()))) {
      case Admission.Admitted(Permit permit) -> {
        try {
          handler.handle(new AdmittedExchange(exchange, permit));
        } catch (RuntimeException | Error e) {
          permit.close();
          throw e;
        }
      }
      case Admission.Refused refused -> {
        refusals.inFlight(exchange, refused);
        exchange.respond(reply(refused));
      }
    }
  }

  /** Asks for a place among its policy's requests first, where these are bounded. */
  private Admission ask(@Nullable AdmissionController own) {
    if (own == null) {
      return admission.ask();
    }
    return switch (own.ask()) {
      case Admission.Refused refused -> refused;
      case Admission.Admitted(Permit place) ->
          switch (admission.ask()) {
            case Admission.Admitted(Permit permit) -> new Admission.Admitted(permit.and(place));
            case Admission.Refused refused -> {
              place.close();
              yield refused;
            }
          };
    };
  }

  private static HttpReply reply(Admission.Refused refused) {
    return new HttpReply(
        TOO_MANY_REQUESTS,
        "application/json; charset=UTF-8",
        List.copyOf(headers(refused).entrySet()),
        List.of(error(refused).bytes(false)),
        () -> {});
  }

  /** What the client of a refused request is told. */
  static ErrorBody error(Admission.Refused refused) {
    return new ErrorBody(TOO_MANY_REQUESTS, "rejected_execution_exception", refused.message());
  }

  /** When it may come again. */
  static Map<String, String> headers(Admission.Refused refused) {
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
    public void respond(HttpReply reply) {
      super.respond(
          new HttpReply(
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
    public void respond(StreamedReply reply) {
      super.respond(
          new StreamedReply(
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
