package dev.weir.observe.trace;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What OpenTelemetry's library would write to standard error: the newest of it is kept, to be told
 * with what is counted here. Safe on any thread.
 */
final class LibraryWords extends Handler {
  /** Held, for else it could be collected, and its settings with it. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private static final LibraryWords HANDLER = new LibraryWords();

  private static volatile String newest = "";

  private LibraryWords() {}

  /** Hears them from now on. */
  static synchronized void hear() {
    LIBRARY.removeHandler(HANDLER);
    LIBRARY.addHandler(HANDLER);
    LIBRARY.setUseParentHandlers(false);
  }

  /** What was said last; empty for nothing. */
  static String newest() {
    return newest;
  }

  @Override
  public void publish(LogRecord said) {
    if (said.getLevel().intValue() >= Level.WARNING.intValue()) {
      newest = String.valueOf(said.getMessage());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
