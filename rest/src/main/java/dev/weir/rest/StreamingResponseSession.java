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
 * A request that runs many actions, in sequence and concurrently, and responds with one stream.
 * Confined to the exchange's event loop.
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
   * Registers the handlers that stop the work.
   *
   * @param onDisconnect runs when the client disconnects before the start of the response
   * @param onDefect runs after a defect, also during the response
   */
  public void onStop(Runnable onDisconnect, Consumer<Throwable> onDefect) {
    exchange.setDefectHandler(onDefect);
    exchange
        .channel()
        .addCloseListener(
            ActionListener.wrap(() -> {
              if (!exchange.isClosed()) {
                exchange.run(onDisconnect);
                exchange.cancel("channel closed");
              }
            }));
  }

  /**
   * Returns the request's event loop: its tasks run one at a time, in the request's thread context.
   */
  public Executor eventLoop() {
    return task -> exchange.executor().execute(() -> exchange.run(task));
  }

  /** Returns the time of the monotonic clock in nanoseconds. */
  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /**
   * Creates a context for one action. Its deadline counts from now, unless the client sets one for
   * the whole request. The caller ends the context, which releases the memory of the action's
   * response.
   */
  public RequestContext createPartContext() {
    return exchange.contexts().createPart(client.nextRequestNumber(), nanoClock.getAsLong());
  }

  /** Creates a context for an action that may outlive the request. The caller ends the context. */
  public RequestContext createDetachedContext() {
    return exchange.contexts().createDetached(client.nextRequestNumber());
  }

  /** Executes an action; the listener runs once, in the request's thread context. */
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    client.executePart(action, request, context, listener);
  }

  /** Creates the outputs of a part of the response; they count against the request's memory. */
  public ResponsePartOutputs newPartOutputs() {
    return new ResponsePartOutputs(pages);
  }

  /**
   * Starts the response with status 200.
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

  /** Responds with a failure; ignored after a response or a disconnect. */
  public void fail(Exception failure) {
    String reason = PassThroughClassifier.passThroughReason(failure);
    if (reason != null) {
      exchange.passThrough(reason); // fails, because no node supports the format
      return;
    }
    exchange.takeNodeHeaders();
    try {
      channel.sendResponse(new BytesRestResponse(channel, failure));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A body source that runs in the request's thread context. */
  private record ThreadContextBodySource(RestExchange exchange, BodySource source)
      implements BodySource {
    @Override
    public void onStart(Sink sink) {
      exchange.run(() -> source.onStart(sink));
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
