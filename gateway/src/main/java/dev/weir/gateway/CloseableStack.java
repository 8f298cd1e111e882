package dev.weir.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what was added, last one first. Safe on any thread. */
final class CloseableStack implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(CloseableStack.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T closeable) {
    opened.push(closeable);
    return closeable;
  }

  /** Closes everything; a failure is logged, and the rest is closed too. */
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
