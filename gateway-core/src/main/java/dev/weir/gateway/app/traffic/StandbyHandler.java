package dev.weir.gateway.app.traffic;

import dev.weir.admission.head.Actions;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestHandler;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has a read that a cluster could not answer, because its nodes are gone, answered by another one.
 * Once only, and never a write. Safe on any thread.
 */
final class StandbyHandler implements RequestHandler {
  private static final int UNAVAILABLE = 503;

  private final RequestHandler handler;
  private final Supplier<@Nullable ChosenCluster> standby;
  private final LongAdder taken;

  /**
   * Makes one.
   *
   * @param handler of the cluster that is asked first
   * @param standby the cluster that answers instead; null while there is none
   * @param taken counts what it was asked
   */
  StandbyHandler(
      RequestHandler handler, Supplier<@Nullable ChosenCluster> standby, LongAdder taken) {
    this.handler = handler;
    this.standby = standby;
    this.taken = taken;
  }

  @Override
  public void handle(HttpExchange exchange) {
    handler.handle(reads(exchange) ? new Guarded(exchange) : exchange);
  }

  private static boolean reads(HttpExchange exchange) {
    return switch (Actions.of(exchange.method(), exchange.uri())) {
      case SEARCH, GET -> exchange.sections() == null;
      case BULK, WRITE, OTHER -> false;
    };
  }

  private final class Guarded extends ForwardingExchange {
    private final HttpExchange exchange;
    private boolean lost;

    Guarded(HttpExchange exchange) {
      super(exchange);
      this.exchange = exchange;
    }

    @Override
    public void lostNodes() {
      lost = true;
    }

    @Override
    public void respond(HttpReply reply) {
      ChosenCluster other = lost || reply.status() == UNAVAILABLE ? standby.get() : null;
      if (other == null) {
        super.respond(reply);
        return;
      }
      exchange
          .home()
          .execute(() -> {
            reply.onReleased().run();
            taken.increment();
            other.cluster().handler().handle(exchange);
          });
    }
  }
}
