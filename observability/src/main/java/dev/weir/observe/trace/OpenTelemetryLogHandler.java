package dev.weir.observe.trace;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What OpenTelemetry's library would write to standard error: the newest of it is kept, to be told
 * with what is counted here. Safe on any thread.
 */
final class OpenTelemetryLogHandler extends Handler {
  /** Held, for else it could be collected, and its settings with it. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private static final OpenTelemetryLogHandler HANDLER = new OpenTelemetryLogHandler();

  private static volatile String lastMessage = "";

  private OpenTelemetryLogHandler() {}

  /** Hears them from now on. */
  static synchronized void install() {
    LIBRARY.removeHandler(HANDLER);
    LIBRARY.addHandler(HANDLER);
    LIBRARY.setUseParentHandlers(false);
  }

  /** What was said last; empty for nothing. */
  static String lastMessage() {
    return lastMessage;
  }

  @Override
  public void publish(LogRecord said) {
    if (said.getLevel().intValue() >= Level.WARNING.intValue()) {
      lastMessage = String.valueOf(said.getMessage());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
