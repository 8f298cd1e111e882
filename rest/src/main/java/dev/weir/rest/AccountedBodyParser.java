package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.ParsedBodyLimits;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.CheckedConsumer;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
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
 * <p>Starts and ends on the request's event loop. A long body is estimated and parsed on a thread
 * of the {@link BodyParsingExecutor}; nothing else of the request runs meanwhile.
 */
final class AccountedBodyParser {
  /** A shorter body is covered by what every small request takes. */
  static final int MIN_ACCOUNTED_BYTES = 512;

  /** OpenSearch parses 20 to 200 MB of a body each second: up to here for 6 ms at most. */
  static final int MIN_LONG_BODY_BYTES = 128 << 10;

  /** For how long a request waits for memory at most, in nanoseconds. */
  static final long MAX_WAIT_NANOS = 5_000_000_000L;

  private final CoordinatedRestHandler action;
  private final BaseRestHandler handler;
  private final RestRequest request;
  private final RestChannel channel;
  private final NodeClient client;
  private final RestExchange exchange;
  private @Nullable ParsedBodyEstimate estimate;
  private long waitUntilNanos;

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
      handler.handleRequest(request, channel, client);
    } else {
      parseAccounted(length);
    }
  }

  private void parseAccounted(int length) {
    if (length < MIN_LONG_BODY_BYTES) {
      attempt(this::handleHere).run();
    } else {
      parseElsewhere(length);
    }
  }

  private void parseElsewhere(int length) {
    ThreadContext contexts = exchange.threadContext();
    StoredContext ofRequest = contexts.newStoredContext(false);
    try {
      exchange
          .bodyParsing()
          .execute(
              length,
              () -> {
                StoredContext ofThread = contexts.newStoredContext(false);
                ofRequest.restore();
                Runnable next;
                StoredContext parsed;
                try {
                  next = attempt(this::parse);
                } finally {
                  parsed = contexts.newStoredContext(false);
                  ofThread.restore();
                }
                resume(parsed, next);
              });
    } catch (RejectedExecutionException full) {
      sendToNode(null);
    }
  }

  /** Continues on the event loop, in the thread context that parsing left. */
  private void resume(StoredContext parsed, Runnable next) {
    exchange
        .http()
        .eventLoop()
        .execute(() ->
            exchange.run(() -> {
              parsed.restore();
              next.run();
            }));
  }

  /**
   * Reserves memory, on any thread; returns what follows on the event loop.
   *
   * @param onReserved continues with the reserved bytes on this thread
   */
  private Runnable attempt(LongFunction<Runnable> onReserved) {
    try {
      ParsedBodyEstimate expected = estimate;
      if (expected == null) {
        expected =
            ParsedBodyEstimate.of(action.action(), request.getMediaType(), request.content());
        estimate = expected;
      }
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
    } catch (Throwable defect) { // the event loop handles it, as one of its own
      return () -> rethrow(defect);
    }
  }

  /** Lets the handler do all on the event loop: a short body is not worth a change of threads. */
  private Runnable handleHere(long reservedBytes) {
    return () -> {
      releaseAtEnd(reservedBytes);
      try {
        handler.handleRequest(request, channel, client);
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
    exchange.onEnd(() -> exchange.memory().release(Category.PARSED_BODY, bytes));
  }

  private void waitForMemory(long bytes) {
    long now = System.nanoTime();
    if (waitUntilNanos == 0) {
      waitUntilNanos = now + MAX_WAIT_NANOS;
    }
    if (!exchange.channel().isOpen()) {
      exchange.cancel("the client left before there was memory to parse the request");
      return;
    }
    if (now - waitUntilNanos >= 0) {
      giveUpWaiting(bytes);
      return;
    }
    StoredContext ofRequest = exchange.threadContext().newStoredContext(false);
    try {
      exchange
          .bodyParsing()
          .executeLater(
              exchange.http().eventLoop(),
              () ->
                  exchange.run(() -> {
                    ofRequest.restore();
                    parseAccounted(request.content().length());
                  }));
    } catch (RejectedExecutionException none) {
      giveUpWaiting(bytes);
    }
  }

  private void giveUpWaiting(long bytes) {
    if (action.canPassThrough(request)) {
      sendToNode(null);
      return;
    }
    MemoryRejection rejection = exchange.memory().reserve(Category.PARSED_BODY, bytes);
    if (rejection == null) {
      handleHere(bytes).run();
    } else {
      sendFailure(RequestFrameBudget.exception(rejection));
    }
  }

  /** Lets a node answer, or rejects what no node can answer. */
  private void sendToNode(@Nullable MemoryRejection rejection) {
    if (action.canPassThrough(request) || rejection == null) {
      exchange.passThrough(PassThroughReasons.COSTLY_BODY);
    } else {
      sendFailure(RequestFrameBudget.exception(rejection));
    }
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
    String reason = PassThroughClassifier.passThroughReason(failure);
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
