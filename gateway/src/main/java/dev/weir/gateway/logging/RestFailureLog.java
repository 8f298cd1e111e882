package dev.weir.gateway.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shortens what OpenSearch's REST layer logs about a failed request. The failure of a node or of a
 * shard is one line: its stack trace would show only where the gateway received it. The failure of
 * the gateway's own code, any other exception, keeps its stack trace.
 */
final class RestFailureLog {
  /** The logger of OpenSearch's {@code BytesRestResponse} for statuses from 500. */
  private static final String LOGGER = "rest.suppressed";

  private static final String OPENSEARCH = "org.opensearch.";
  private static final List<String> PARSERS =
      List.of(
          "org.opensearch.common.xcontent.",
          "org.opensearch.core.xcontent.",
          "org.opensearch.tools.jackson.",
          "tools.jackson.");
  private static final int MAX_CAUSES = 10;
  private static final int MAX_CHARS = 300;

  private RestFailureLog() {}

  /**
   * Logs a failure without its stack trace; returns false if that is not for this class.
   *
   * @param message with the request's path and parameters
   */
  static boolean logWithoutTrace(Logger logger, Level level, String message, Throwable failure) {
    if (!logger.getName().equals(LOGGER) || level != Level.WARN || !isReported(failure)) {
      return false;
    }
    logger.warn("{}: {}", message, describe(failure));
    return true;
  }

  /**
   * Whether each exception of a chain is OpenSearch's, which nodes report and handlers create, or a
   * parser's, or a request has too many levels: for some malformed bodies a node responds with 500.
   */
  private static boolean isReported(Throwable failure) {
    @Nullable Throwable next = failure;
    for (int i = 0; next != null && i < MAX_CAUSES; i++) {
      if (!next.getClass().getName().startsWith(OPENSEARCH)
          && !isThrownByParser(next)
          && !(next instanceof StackOverflowError)) {
        return false;
      }
      next = next.getCause();
    }
    return true;
  }

  private static boolean isThrownByParser(Throwable failure) {
    StackTraceElement[] frames = failure.getStackTrace();
    return frames.length > 0 && PARSERS.stream().anyMatch(frames[0].getClassName()::startsWith);
  }

  private static String describe(Throwable failure) {
    Throwable root = failure;
    for (int i = 0; root.getCause() != null && i < MAX_CAUSES; i++) {
      root = root.getCause();
    }
    String text = failure.toString();
    return truncate(
        failure.getCause() == null ? text : text + ", caused by " + truncate(root.toString()));
  }

  private static String truncate(String text) {
    String line = text.replace('\n', ' ');
    return line.length() > MAX_CHARS ? line.substring(0, MAX_CHARS) + "..." : line;
  }
}
