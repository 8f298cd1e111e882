package dev.weir.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was opened so far, closed in reverse. */
final class CloseableStack implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(CloseableStack.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T closeable) {
    opened.push(closeable);
    return closeable;
  }

  /** Closes everything, also what comes after one that fails. */
  @Override
  public synchronized void close() {
    while (!opened.isEmpty()) {
      AutoCloseable next = opened.pop();
      try {
        next.close();
      } catch (Exception e) {
        LOGGER.warn("closing {} failed", next.getClass().getSimpleName(), e);
      }
    }
  }
}
