package dev.weir.rest;

import dev.weir.model.BodySource;
import dev.weir.model.RequestContext;
import dev.weir.model.StreamedReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestChannel;

/**
 * A request that is carried out by many actions, one after the other and side by side, and answered
 * by one stream. Confined to the exchange's home.
 */
public final class StreamedRequest {
  private final RestExchange exchange;
  private final RestChannel channel;
  private final GatewayNodeClient client;
  private final LongSupplier nanoClock;
  private final BigArrays pages;

  StreamedRequest(
      RestExchange exchange,
      RestChannel channel,
      GatewayNodeClient client,
      PageCacheRecycler pages,
      LongSupplier nanoClock) {
    this.exchange = exchange;
    this.channel = channel;
    this.client = client;
    this.nanoClock = nanoClock;
    this.pages = AnswerPages.paidBy(exchange.memory(), pages);
    client.beginExport(exchange);
  }

  /**
   * Registers who stops the work where nobody waits for the answer any more, or where it can't go
   * on because of a defect; not called once the answer was begun, but for a defect.
   */
  public void whenHopeless(Consumer<Throwable> stop) {
    exchange.whenFailing(stop);
    exchange
        .channel()
        .addCloseListener(
            ActionListener.wrap(() -> {
              if (!exchange.isClosed()) {
                exchange.run(() -> stop.accept(new IOException("the client is gone")));
                exchange.cancel("channel closed");
              }
            }));
  }

  /** Where the request lives: tasks run one at a time, in its thread context. */
  public Executor home() {
    return task -> exchange.http().home().execute(() -> exchange.run(task));
  }

  /** The time by the monotonic clock, nanoseconds. */
  public long now() {
    return nanoClock.getAsLong();
  }

  /**
   * A context for one of its actions, with a deadline that is counted from now unless the client
   * said one for all. Whoever asked ends it, which gives back what the action's answer is held in.
   */
  public RequestContext part() {
    return exchange.part(client.number(), nanoClock.getAsLong());
  }

  /** A context for an action that may outlive the request. Whoever asked ends it. */
  public RequestContext aside() {
    return exchange.aside(client.number());
  }

  /** Carries out an action; the listener hears of it once, in the request's thread context. */
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    client.carryOut(action, request, context, listener);
  }

  /** Outputs for a part of the answer, which the request pays for. */
  public PartOutputs outputs() {
    return new PartOutputs(pages);
  }

  /**
   * Begins to answer, with status 200.
   *
   * @param headers in order
   */
  public void answer(String contentType, List<Map.Entry<String, String>> headers, BodySource body) {
    exchange.takeNodeHeaders();
    exchange.respond(
        new StreamedReply(
            200, contentType, headers, new InContext(exchange, body), exchange::released));
  }

  /** Answers with a failure; ignored where there is an answer, or nobody waits for one. */
  public void fail(Exception failure) {
    String reason = NodesBusiness.reason(failure);
    if (reason != null) {
      exchange.passThrough(reason); // answers itself, that no node has such an answer
      return;
    }
    exchange.takeNodeHeaders();
    try {
      channel.sendResponse(new BytesRestResponse(channel, failure));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A body that is made in the request's thread context. */
  private record InContext(RestExchange exchange, BodySource source) implements BodySource {
    @Override
    public void begin(Taker taker) {
      exchange.run(() -> source.begin(taker));
    }

    @Override
    public void resume() {
      exchange.run(source::resume);
    }

    @Override
    public void over(boolean complete) {
      exchange.run(() -> source.over(complete));
    }
  }
}
