package dev.weir.observe.trace;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps the newest message that OpenTelemetry's library would write to standard error; the exporter
 * adds it to its own log line. Safe on any thread.
 */
final class OpenTelemetryLogHandler extends Handler {
  /** A strong reference: the garbage collector could otherwise drop the logger and its settings. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private static final OpenTelemetryLogHandler HANDLER = new OpenTelemetryLogHandler();

  private static volatile String lastMessage = "";

  private OpenTelemetryLogHandler() {}

  /** Installs the handler. */
  static synchronized void install() {
    LIBRARY.removeHandler(HANDLER);
    LIBRARY.addHandler(HANDLER);
    LIBRARY.setUseParentHandlers(false);
  }

  /** The newest message; empty if there is none. */
  static String lastMessage() {
    return lastMessage;
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      lastMessage = String.valueOf(record.getMessage());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
