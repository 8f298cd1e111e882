package dev.weir.gateway.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import dev.weir.config.policy.ObservabilityPolicy.LogFormat;
import dev.weir.model.RequestTrace;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

final class LoggingConfiguratorTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static String line(LogFormat format, boolean traced) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Encoder<ILoggingEvent> encoder = LoggingConfigurator.encoder(format, context);
    if (traced) {
      MDC.put(RequestTrace.LOG_FIELD, TRACE);
    }
    try {
      LoggingEvent event =
          new LoggingEvent(
              "", context.getLogger("dev.weir.Some"), Level.WARN, "something failed", null, null);
      return new String(encoder.encode(event), StandardCharsets.UTF_8);
    } finally {
      MDC.remove(RequestTrace.LOG_FIELD);
    }
  }

  @Test
  void writeTheTraceIdOfTheRequest() {
    assertThat(line(LogFormat.PLAIN, true))
        .endsWith(" WARN  [Some] trace-id=" + TRACE + " something failed\n");
    assertThat(line(LogFormat.JSON, true))
        .contains("\"message\":\"something failed\"", "\"trace_id\":\"" + TRACE + "\"");
  }

  @Test
  void omitTheTraceIdInOtherLines() {
    assertThat(line(LogFormat.PLAIN, false)).endsWith(" WARN  [Some] something failed\n");
    assertThat(line(LogFormat.JSON, false)).doesNotContain("trace_id");
  }

  @Test
  void encodeControlCharactersOfRequests() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    for (LogFormat format : LogFormat.values()) {
      LoggingEvent event =
          new LoggingEvent(
              "",
              context.getLogger("dev.weir.Some"),
              Level.WARN,
              "can't process GET /\u001b[2J\u009b31m\r",
              null,
              null);
      String line =
          new String(
              LoggingConfigurator.encoder(format, context).encode(event), StandardCharsets.UTF_8);
      assertThat(line).as(format.name()).doesNotContain("\u001b", "\r");
    }
    assertThat(EncodingLayout.encodeControls("a\u001b[2Jb\u009b\r\n\tc"))
        .isEqualTo("a\\u001b[2Jb\\u009b\\u000d\n\tc");
  }
}
