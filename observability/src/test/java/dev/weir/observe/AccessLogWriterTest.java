package dev.weir.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.model.CompletedRequest;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class AccessLogWriterTest {
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static CompletedRequest request(String uri, String reason, String opaqueId) {
    return request(uri, reason, opaqueId, "");
  }

  private static CompletedRequest request(
      String uri, String reason, String opaqueId, String traceParent) {
    return new CompletedRequest(
        0,
        "10.0.0.9:5",
        "GET",
        uri,
        "HTTP/1.1",
        "passthrough",
        "other",
        reason,
        200,
        10,
        20,
        3_000_000,
        opaqueId,
        1042,
        "blue",
        "_default",
        traceParent);
  }

  @Test
  void logTheRequestAndItsPath() {
    assertThat(AccessLogWriter.line(request("/_cat/nodes", "not-coordinated", "app-7")))
        .isEqualTo(
            "10.0.0.9:5 \"GET /_cat/nodes HTTP/1.1\" 200 10 20 3000us passthrough/other"
                + " reason=not-coordinated cluster=blue request-id=1042 opaque-id=app-7");
  }

  @Test
  void tellsTheTrace() {
    assertThat(AccessLogWriter.line(request("/a", "", "", PARENT)))
        .endsWith(
            " request-id=1042 trace-id=4bf92f3577b34da6a3ce929d0e0e4736 span-id=00f067aa0ba902b7");
    assertThat(AccessLogWriter.line(request("/a", "", "", PARENT + "0")))
        .endsWith(" request-id=1042");
  }

  @Test
  void shortenWhatClientsMakeLong() {
    CompletedRequest request = request("/" + "u".repeat(4000), "", "o".repeat(16_000));
    assertThat(AccessLogWriter.line(request))
        .contains(" /" + "u".repeat(AccessLogWriter.MAX_URI - 1) + " HTTP/1.1")
        .endsWith(" opaque-id=" + "o".repeat(AccessLogWriter.MAX_OPAQUE_ID));
    assertThat(pairs(request))
        .containsEntry("uri", "/" + "u".repeat(AccessLogWriter.MAX_URI - 1))
        .containsEntry("opaque_id", "o".repeat(AccessLogWriter.MAX_OPAQUE_ID));
  }

  /** Returns what a line has as a JSON object. */
  private static Map<String, Object> pairs(CompletedRequest request) {
    Logger logger = (Logger) LoggerFactory.getLogger("weir.access");
    Level before = logger.getLevel();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      new AccessLogWriter(true).accept(request);
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
    return lines.list.getFirst().getKeyValuePairs().stream()
        .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
  }

  @Test
  void preventForgedLines() {
    assertThat(AccessLogWriter.line(request("/a\n\"b", "", "x\r\ny")))
        .contains("/a??b")
        .endsWith("opaque-id=x??y")
        .doesNotContain("\n");
  }
}
