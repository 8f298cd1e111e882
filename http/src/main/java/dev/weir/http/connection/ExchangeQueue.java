package dev.weir.http.connection;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges of one connection whose responses have not left, in the order of their requests.
 * Starts a response when it is ready and all earlier ones have left. Confined to the connection's
 * event loop.
 */
final class ExchangeQueue {
  private static final Logger LOG = LoggerFactory.getLogger(ExchangeQueue.class);

  private final ArrayDeque<ConnectionExchange> queue = new ArrayDeque<>(4);

  /** Whether the first exchange was asked to write its response. */
  private boolean isFirstStarted;

  private boolean isStarting;
  private boolean hasEnded;

  void add(ConnectionExchange exchange) {
    queue.add(exchange);
  }

  /** Removes the first exchange, whose response has left. */
  void removeFirst() {
    queue.poll();
    isFirstStarted = false;
  }

  /** Returns the exchange whose turn it is; null for none. */
  @Nullable ConnectionExchange first() {
    return queue.peek();
  }

  @SuppressWarnings("ReferenceEquality")
  boolean isFirst(ConnectionExchange exchange) {
    return queue.peek() == exchange;
  }

  int size() {
    return queue.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Called when an exchange has a response; starts it if all earlier ones have left. */
  void onReady(ConnectionExchange exchange) {
    if (isFirst(exchange)) {
      isFirstStarted = false;
      startReady();
    }
  }

  /**
   * Starts the responses whose turn it is, one after another, up to one that is not ready or does
   * not leave at once. A response that leaves while it is started calls this again: then the call
   * under way goes on, so that the stack does not grow with the number of responses.
   */
  void startReady() {
    if (isStarting) {
      return;
    }
    isStarting = true;
    try {
      for (ConnectionExchange next = nextReady(); next != null; next = nextReady()) {
        isFirstStarted = true;
        next.startResponse();
      }
    } finally {
      isStarting = false;
    }
  }

  private @Nullable ConnectionExchange nextReady() {
    ConnectionExchange next = hasEnded || isFirstStarted ? null : queue.peek();
    return next != null && next.hasResponse() ? next : null;
  }

  /** Returns whether responses are being started; more of them may follow. */
  boolean isStarting() {
    return isStarting;
  }

  /** Called when the client takes more of the response whose turn it is. */
  void resumeFirst() {
    ConnectionExchange first = queue.peek();
    if (first != null && isFirstStarted) {
      first.resumeResponse();
    }
  }

  /** Starts no more responses: the connection ends with the last one that has left. */
  void end() {
    hasEnded = true;
  }

  /** Ends all exchanges because the client has disconnected, each whatever the others throw. */
  void disconnectAll() {
    hasEnded = true;
    for (ConnectionExchange exchange = queue.poll(); exchange != null; exchange = queue.poll()) {
      try {
        exchange.onClientDisconnected();
      } catch (Throwable e) { // the others hold memory and permits too
        LOG.error("can't end a request of a client that disconnected", e);
      }
    }
  }
}
