package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
import dev.weir.model.RequestMemory.Category;
import java.time.Duration;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.core.action.ActionListener;

/**
 * Waits for the memory of one parsed body, in the queue in which searches wait for memory. Used
 * once. Confined to the request's executor.
 */
final class ParsedBodyWait {
  /** For how long a request waits at most; it may then still pass through. */
  static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private final RestExchange exchange;
  private final MemoryWait wait;
  private final StoredContext ofRequest;
  private Runnable timerCanceller = () -> {};
  private boolean isWaiting = true;

  private ParsedBodyWait(RestExchange exchange, MemoryWait wait) {
    this.exchange = exchange;
    this.wait = wait;
    this.ofRequest = exchange.threadContext().newStoredContext(false);
  }

  /**
   * Starts to wait. One of the actions runs later, unless the client leaves before: that ends the
   * request.
   *
   * @param onReserved runs when the bytes are reserved; it releases them at the end of the request
   * @param onTimeout runs when they were not free in time
   * @return false if the request can't wait
   */
  static boolean start(RestExchange exchange, long bytes, Runnable onReserved, Runnable onTimeout) {
    MemoryWait wait = exchange.memory().memoryWait();
    Duration most = wait == null ? Duration.ZERO : wait.maxWait();
    if (wait == null || !most.isPositive()) {
      return false;
    }
    ParsedBodyWait waiting = new ParsedBodyWait(exchange, wait);
    return waiting.enqueue(
        bytes, most.compareTo(MAX_WAIT) < 0 ? most : MAX_WAIT, onReserved, onTimeout);
  }

  private boolean enqueue(long bytes, Duration most, Runnable onReserved, Runnable onTimeout) {
    if (!wait.startFor(
        Category.PARSED_BODY,
        bytes,
        () -> exchange.runLater(() -> onGranted(bytes, onReserved, onTimeout)))) {
      return false;
    }
    timerCanceller =
        exchange
            .longRequests()
            .schedule(most, exchange.executor(), () -> exchange.run(() -> onTimeout(onTimeout)));
    exchange.channel().addCloseListener(ActionListener.wrap(this::onClientGone));
    exchange.onEnd(this::onEnd);
    return true;
  }

  private void onGranted(long bytes, Runnable onReserved, Runnable onTimeout) {
    if (!isWaiting) {
      wait.releaseUnused();
      return;
    }
    isWaiting = false;
    timerCanceller.run();
    MemoryRejection rejection = exchange.memory().tryReserve(Category.PARSED_BODY, bytes);
    wait.releaseUnused();
    ofRequest.restore();
    (rejection == null ? onReserved : onTimeout).run();
  }

  private void onTimeout(Runnable next) {
    if (isWaiting && wait.stop()) {
      isWaiting = false;
      ofRequest.restore();
      next.run();
    }
  }

  private void onClientGone() {
    if (isWaiting) {
      exchange.cancel("the client left before there was memory to parse the request");
    }
  }

  private void onEnd() {
    if (isWaiting) {
      isWaiting = false;
      timerCanceller.run();
      wait.stop();
    }
    wait.releaseUnused();
  }
}
