package dev.weir.gateway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.ObservabilityPolicy.LogFormat;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.LoggerFactory;

/** Sets logging up as the policy says: plain or JSON lines on standard output. */
final class LoggingConfigurator {
  /**
   * With the time as ISO 8601 writes it, and the offset, such as +01:00; and with the trace of the
   * request that a line is about, where that is recorded.
   */
  private static final String PLAIN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSxxx} %-5level [%logger{0}]"
          + "%replace( trace-id=%X{trace_id}){'^ trace-id=$', ''} %msg%n";

  private LoggingConfigurator() {}

  static void apply(ObservabilityPolicy policy) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    context.reset();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setName("console");
    console.setEncoder(encoder(policy.logFormat(), context));
    console.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(console);
    setLevel(policy);
    // OpenSearch's classes speak of a node that is not there
    context.getLogger("org.opensearch").setLevel(Level.WARN);
    context.getLogger("org.opensearch.deprecation").setLevel(Level.ERROR);
    context.getLogger("weir.access").setLevel(policy.accessLogEnabled() ? Level.INFO : Level.OFF);
  }

  /** Writes what is as important as the policy says from now on. */
  static void setLevel(ObservabilityPolicy policy) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context
          .getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
          .setLevel(Level.valueOf(policy.logLevel().name()));
    }
  }

  /** Writes what is still buffered; nothing is logged after it. */
  static void stop() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }

  static Encoder<ILoggingEvent> encoder(LogFormat format, LoggerContext context) {
    return switch (format) {
      case JSON -> {
        LogstashEncoder json = new LogstashEncoder();
        json.setContext(context);
        json.start();
        yield json;
      }
      case PLAIN -> {
        PatternLayoutEncoder plain = new PatternLayoutEncoder();
        plain.setContext(context);
        plain.setPattern(PLAIN);
        plain.start();
        yield plain;
      }
    };
  }
}
