package dev.weir.observe;

import dev.weir.model.CompletedRequest;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestTrace;
import dev.weir.model.TraceParent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes a line for every finished request to the logger {@code weir.access}: as text, or with
 * key-value pairs if the log format is JSON. Safe on any thread.
 */
public final class AccessLogWriter implements Consumer<CompletedRequest> {
  private static final Logger LOGGER = LoggerFactory.getLogger("weir.access");

  /** The logged characters of a URI: lines wait in a queue that is bounded by their number. */
  static final int MAX_URI = 2048;

  /** The logged characters of an X-Opaque-Id, as in explanations. */
  static final int MAX_OPAQUE_ID = 128;

  private final boolean json;

  /**
   * Creates the writer.
   *
   * @param json whether lines are JSON objects, so that each value becomes a field
   */
  public AccessLogWriter(boolean json) {
    this.json = json;
  }

  @Override
  public void accept(CompletedRequest log) {
    if (!LOGGER.isInfoEnabled()) {
      return;
    }
    String previous = MDC.get(RequestTrace.LOG_FIELD);
    if (previous == null) {
      write(log);
      return;
    }
    MDC.remove(RequestTrace.LOG_FIELD); // the line has its own
    try {
      write(log);
    } finally {
      MDC.put(RequestTrace.LOG_FIELD, previous);
    }
  }

  private void write(CompletedRequest log) {
    if (json) {
      writePairs(log);
    } else {
      LOGGER.info(line(log));
    }
  }

  static String line(CompletedRequest log) {
    StringBuilder line = new StringBuilder(160);
    line.append(log.remoteAddress()).append(" \"").append(log.method()).append(' ');
    appendSafely(line, DisplayFormat.truncate(log.uri(), MAX_URI));
    line.append(' ').append(log.protocol()).append("\" ").append(log.status());
    line.append(' ').append(log.requestBytes()).append(' ').append(log.responseBytes());
    line.append(' ').append(log.durationNanos() / 1000).append("us ").append(log.path());
    line.append('/').append(log.action());
    if (!log.reason().isEmpty()) {
      line.append(" reason=").append(log.reason());
    }
    if (!log.cluster().isEmpty()) {
      line.append(" cluster=").append(log.cluster());
    }
    if (log.taskId() != 0) {
      line.append(" request-id=").append(log.taskId());
    }
    if (!log.opaqueId().isEmpty()) {
      line.append(" opaque-id=");
      appendSafely(line, DisplayFormat.truncate(log.opaqueId(), MAX_OPAQUE_ID));
    }
    TraceParent trace = trace(log);
    if (trace != null) {
      line.append(" trace-id=").append(trace.traceId()).append(" span-id=").append(trace.spanId());
    }
    return line.toString();
  }

  /**
   * Removes control characters and quotes from text of the client, so that each request takes one
   * line.
   */
  private static void appendSafely(StringBuilder line, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      line.append(Character.isISOControl(c) || c == '"' ? '?' : c);
    }
  }

  private static @Nullable TraceParent trace(CompletedRequest log) {
    return log.traceParent().isEmpty() ? null : TraceParent.parse(log.traceParent());
  }

  private static void writePairs(CompletedRequest log) {
    LoggingEventBuilder line = LOGGER.atInfo();
    TraceParent trace = trace(log);
    if (trace != null) {
      line =
          line.addKeyValue(RequestTrace.LOG_FIELD, trace.traceId())
              .addKeyValue("span_id", trace.spanId());
    }
    line.addKeyValue("remote", log.remoteAddress())
        .addKeyValue("method", log.method())
        .addKeyValue("uri", DisplayFormat.truncate(log.uri(), MAX_URI))
        .addKeyValue("protocol", log.protocol())
        .addKeyValue("status", log.status())
        .addKeyValue("request_bytes", log.requestBytes())
        .addKeyValue("response_bytes", log.responseBytes())
        .addKeyValue("took_micros", log.durationNanos() / 1000)
        .addKeyValue("path", log.path())
        .addKeyValue("action", log.action())
        .addKeyValue("reason", log.reason())
        .addKeyValue("cluster", log.cluster())
        .addKeyValue("opaque_id", DisplayFormat.truncate(log.opaqueId(), MAX_OPAQUE_ID))
        .addKeyValue("request_id", log.taskId())
        .log("request");
  }
}
