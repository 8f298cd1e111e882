package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.ParsedBodyLimits;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.rest.estimate.ParsedBodyEstimate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.CheckedConsumer;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestHandlerInternals;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/**
 * Parses one request's body within the request's memory account, then carries the request out. The
 * parsed body is estimated and reserved first; the reservation ends with the request. While other
 * requests hold the memory, the request waits. What is too large, or waits too long, passes through
 * to a node.
 *
 * <p>Starts on the request's event loop. A long read leaves it: from its parsing to its response it
 * runs on an executor of its own from {@link LongRequestPool}. A long write is only parsed there,
 * because its calls refer to the body, which belongs to the event loop.
 */
final class AccountedBodyParser {
  /** A shorter body is covered by what every small request takes. */
  static final int MIN_ACCOUNTED_BYTES = 512;

  /** OpenSearch parses 20 to 200 MB of a body each second: up to here for 6 ms at most. */
  static final int MIN_LONG_BODY_BYTES = 128 << 10;

  /**
   * A body that takes as much heap has about 800 documents or 500 searches, each of which costs
   * some 10 µs until the end of the response.
   */
  static final int MIN_LONG_HEAP_BYTES = 512 << 10;

  private final CoordinatedRestHandler action;
  private final BaseRestHandler handler;
  private final RestRequest request;
  private final RestChannel channel;
  private final NodeClient client;
  private final RestExchange exchange;
  private @Nullable ParsedBodyEstimate estimate;
  private boolean isPassing;
  private LongRequestPool.@Nullable RequestExecutor parser;

  AccountedBodyParser(
      CoordinatedRestHandler action,
      BaseRestHandler handler,
      RestRequest request,
      RestChannel channel,
      NodeClient client) {
    this.action = action;
    this.handler = handler;
    this.request = request;
    this.channel = channel;
    this.client = client;
    this.exchange = ExchangeHttpChannel.of(request).exchange();
  }

  /** Starts on the request's event loop, in its thread context. */
  void start() throws Exception {
    int length = request.content().length();
    if (length < MIN_ACCOUNTED_BYTES) {
      RestHandlerInternals.parse(handler, request, client).accept(channel);
    } else if (length < MIN_LONG_BODY_BYTES && estimate().heapBytes() < MIN_LONG_HEAP_BYTES) {
      attempt(this::handle).run();
    } else {
      leaveEventLoop(length);
    }
  }

  private void leaveEventLoop(int length) {
    LongRequestPool.RequestExecutor own;
    try {
      own = exchange.longRequests().open(length);
    } catch (RejectedExecutionException full) {
      if (action.canPassThrough(request)) {
        sendToNode(null);
      } else {
        sendFailure(
            tooManyLongRequests(
                "got a request with a large body that no node can answer alike, and as many large"
                    + " bodies are open as the gateway takes"));
      }
      return;
    }
    if (own == null) {
      attempt(this::handle).run();
      return;
    }
    exchange.onEnd(own::close);
    if (action.isRead()) {
      StoredContext ofRequest = exchange.threadContext().newStoredContext(false);
      exchange.moveTo(
          own,
          () -> {
            ofRequest.restore();
            unlessClientGone(() -> attempt(this::handle).run());
          });
    } else {
      parser = own;
      parseOn(own, () -> attempt(this::parse));
    }
  }

  /**
   * Parses on another thread while nothing else of the request runs, and then returns.
   *
   * @param step parses, and returns what follows on the request's executor
   */
  private void parseOn(Executor other, Supplier<Runnable> step) {
    ThreadContext contexts = exchange.threadContext();
    StoredContext ofRequest = contexts.newStoredContext(false);
    other.execute(() -> {
      StoredContext ofThread = contexts.newStoredContext(false);
      ofRequest.restore();
      Runnable next;
      StoredContext parsed;
      try {
        next = step.get();
      } finally {
        parsed = contexts.newStoredContext(false);
        ofThread.restore();
      }
      exchange.runLater(() -> {
        parsed.restore();
        next.run();
      });
    });
  }

  private ParsedBodyEstimate estimate() {
    ParsedBodyEstimate known = estimate;
    if (known == null) {
      known = ParsedBodyEstimate.of(action.action(), request.getMediaType(), request.content());
      estimate = known;
    }
    return known;
  }

  /**
   * Reserves memory, on any thread; returns what follows on the request's executor.
   *
   * @param onReserved continues with the reserved bytes on this thread
   */
  private Runnable attempt(LongFunction<Runnable> onReserved) {
    try {
      ParsedBodyEstimate expected = estimate();
      ParsedBodyLimits limits = exchange.memory().parsedBodyLimits();
      long bytes = expected.heapBytes();
      if (bytes > limits.maxBytes() || expected.items() > limits.maxItems()) {
        return () -> sendToNode(overLimit(bytes, limits));
      }
      MemoryRejection rejection = exchange.memory().tryReserve(Category.PARSED_BODY, bytes);
      if (rejection == null) {
        return onReserved.apply(bytes);
      }
      return rejection.permanent() ? () -> sendToNode(rejection) : () -> waitForMemory(bytes);
    } catch (Throwable defect) { // the request's executor handles it, as one of its own
      return () -> rethrow(defect);
    }
  }

  /** Parses and carries out on the request's executor. */
  private Runnable handle(long reservedBytes) {
    return () -> {
      releaseAtEnd(reservedBytes);
      try {
        RestHandlerInternals.parse(handler, request, client).accept(channel);
      } catch (Exception failure) {
        sendFailure(failure);
      }
    };
  }

  private Runnable parse(long reservedBytes) {
    CheckedConsumer<RestChannel, Exception> next;
    try {
      next = RestHandlerInternals.parse(handler, request, client);
    } catch (Exception failure) {
      return () -> {
        releaseAtEnd(reservedBytes);
        sendFailure(failure);
      };
    } catch (Throwable defect) {
      return () -> {
        releaseAtEnd(reservedBytes);
        rethrow(defect);
      };
    }
    return () -> {
      releaseAtEnd(reservedBytes);
      try {
        next.accept(channel);
      } catch (Exception failure) {
        sendFailure(failure);
      }
    };
  }

  private void releaseAtEnd(long bytes) {
    if (estimate().items() > 0) {
      exchange.memory().prepayResponse();
    }
    exchange.onEnd(() -> exchange.memory().release(Category.PARSED_BODY, bytes));
  }

  private void waitForMemory(long bytes) {
    unlessClientGone(() -> {
      if (!ParsedBodyWait.start(
          exchange, bytes, () -> onReserved(bytes), () -> giveUpWaiting(bytes))) {
        giveUpWaiting(bytes);
      }
    });
  }

  private void unlessClientGone(Runnable step) {
    if (exchange.isClientGone()) {
      exchange.cancel("the client left before the request was parsed");
    } else {
      step.run();
    }
  }

  private void onReserved(long bytes) {
    LongRequestPool.RequestExecutor other = parser;
    if (other == null) {
      handle(bytes).run();
    } else {
      parseOn(other, () -> parse(bytes));
    }
  }

  private void giveUpWaiting(long bytes) {
    if (action.canPassThrough(request)) {
      sendToNode(null);
      return;
    }
    MemoryRejection rejection = exchange.memory().reserve(Category.PARSED_BODY, bytes);
    if (rejection == null) {
      handle(bytes).run();
    } else {
      sendFailure(RequestFrameBudget.exception(rejection));
    }
  }

  /** Lets a node answer, or rejects what no node can answer, or would not survive. */
  private void sendToNode(@Nullable MemoryRejection rejection) {
    MemoryRejection fatal = exchange.nodeHeap().check(estimate());
    if (fatal != null) {
      sendFailure(RequestFrameBudget.exception(fatal));
    } else if (action.canPassThrough(request) || rejection == null) {
      passThroughInTurn();
    } else {
      sendFailure(RequestFrameBudget.exception(rejection));
    }
  }

  private static Exception tooManyLongRequests(String message) {
    return new OpenSearchRejectedExecutionException(message + ": try again later", false);
  }

  private void passThroughInTurn() {
    unlessClientGone(this::awaitTurn);
  }

  private void awaitTurn() {
    exchange
        .channel()
        .addCloseListener(
            ActionListener.wrap(() -> {
              exchange.cancel("the client left before its turn");
              if (!isPassing) {
                exchange.longRequests().leavePassThrough(exchange.number());
              }
            }));
    String client =
        exchange.remoteAddress() instanceof InetSocketAddress address
            ? address.getHostString()
            : "";
    exchange
        .longRequests()
        .awaitPassThrough(
            exchange.number(),
            client,
            () ->
                exchange.runLater(() -> {
                  isPassing = true;
                  exchange.passThrough(PassThroughReasons.COSTLY_BODY);
                }),
            () ->
                exchange.runLater(() ->
                    sendFailure(
                        tooManyLongRequests(
                            "got a request that takes a node long to parse, and too many of"
                                + " these wait"))));
  }

  private static MemoryRejection overLimit(long bytes, ParsedBodyLimits limits) {
    return new MemoryRejection(
        Category.PARSED_BODY,
        bytes,
        bytes,
        limits.maxBytes(),
        "the parsed body of one request (admission.request-memory.max-parsed-bytes)",
        true,
        List.of(),
        List.of());
  }

  private void sendFailure(Exception failure) {
    String reason = exchange.passThroughReason(failure);
    if (reason != null) {
      exchange.passThrough(reason);
      return;
    }
    try {
      channel.sendResponse(new BytesRestResponse(channel, failure));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void rethrow(Throwable defect) {
    switch (defect) {
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IllegalStateException(defect);
    }
  }
}
