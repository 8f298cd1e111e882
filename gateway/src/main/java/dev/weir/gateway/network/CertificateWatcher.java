package dev.weir.gateway.network;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets TLS contexts follow their files. One virtual thread checks all of them twice a second until
 * {@link #close}. Safe on any thread.
 */
public final class CertificateWatcher implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(CertificateWatcher.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final List<ReloadableTlsContext> contexts = new CopyOnWriteArrayList<>();
  private boolean started;
  private volatile boolean closed;

  /** Adds a context; the first one starts the thread. */
  synchronized ReloadableTlsContext add(ReloadableTlsContext context) {
    contexts.add(context);
    if (!started && !closed) {
      started = true;
      Thread.ofVirtual().name("weir-certificates").start(this::run);
    }
    return context;
  }

  private void run() {
    try {
      while (!closed) {
        Thread.sleep(POLL_INTERVAL);
        contexts.forEach(CertificateWatcher::check);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void check(ReloadableTlsContext context) {
    try {
      context.checkForChange();
    } catch (RuntimeException | Error e) {
      LOGGER.error("{}: checking the files for changes failed", context.section(), e);
    }
  }

  /** All contexts. */
  public List<ReloadableTlsContext> contexts() {
    return contexts;
  }

  /** Why changed files are not in use; empty while the newest are. */
  public List<String> problems() {
    return contexts.stream().map(ReloadableTlsContext::problem).filter(Objects::nonNull).toList();
  }

  @Override
  public void close() {
    closed = true;
  }
}
