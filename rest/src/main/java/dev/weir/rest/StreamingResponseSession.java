package dev.weir.rest;

import dev.weir.model.BodySource;
import dev.weir.model.RequestContext;
import dev.weir.model.StreamingResponse;
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
public final class StreamingResponseSession {
  private final RestExchange exchange;
  private final RestChannel channel;
  private final GatewayNodeClient client;
  private final LongSupplier nanoClock;
  private final BigArrays pages;

  StreamingResponseSession(
      RestExchange exchange,
      RestChannel channel,
      GatewayNodeClient client,
      PageCacheRecycler pages,
      LongSupplier nanoClock) {
    this.exchange = exchange;
    this.channel = channel;
    this.client = client;
    this.nanoClock = nanoClock;
    this.pages = ResponsePageAccounting.accountedTo(exchange.memory(), pages);
    client.startExport(exchange);
  }

  /**
   * Registers what stops the work when no client waits for the answer any more, or when it can't go
   * on because of a defect; not called once the answer was begun, but for a defect.
   */
  public void onStop(Consumer<Throwable> stop) {
    exchange.setDefectHandler(stop);
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
  public Executor eventLoop() {
    return task -> exchange.http().eventLoop().execute(() -> exchange.run(task));
  }

  /** The time by the monotonic clock, nanoseconds. */
  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /**
   * A context for one of its actions, with a deadline that is counted from now unless the client
   * said one for all. Whoever asked ends it, which gives back what the action's answer is held in.
   */
  public RequestContext createPartContext() {
    return exchange.createPartContext(client.nextRequestNumber(), nanoClock.getAsLong());
  }

  /** A context for an action that may outlive the request. Whoever asked ends it. */
  public RequestContext createDetachedContext() {
    return exchange.createDetachedContext(client.nextRequestNumber());
  }

  /** Carries out an action; the listener is called once, in the request's thread context. */
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    client.executePart(action, request, context, listener);
  }

  /** Outputs for a part of the answer, which the request pays for. */
  public ResponsePartOutputs newPartOutputs() {
    return new ResponsePartOutputs(pages);
  }

  /**
   * Begins to answer, with status 200.
   *
   * @param headers in order
   */
  public void respond(
      String contentType, List<Map.Entry<String, String>> headers, BodySource body) {
    exchange.takeNodeHeaders();
    exchange.respond(
        new StreamingResponse(
            200,
            contentType,
            headers,
            new ThreadContextBodySource(exchange, body),
            exchange::onReleased));
  }

  /** Answers with a failure; ignored where there is an answer, or nobody waits for one. */
  public void fail(Exception failure) {
    String reason = PassThroughClassifier.passThroughReason(failure);
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
  private record ThreadContextBodySource(RestExchange exchange, BodySource source)
      implements BodySource {
    @Override
    public void onStart(Sink taker) {
      exchange.run(() -> source.onStart(taker));
    }

    @Override
    public void onWritable() {
      exchange.run(source::onWritable);
    }

    @Override
    public void onClosed(boolean complete) {
      exchange.run(() -> source.onClosed(complete));
    }
  }
}
