package dev.weir.gateway.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.config.policy.ObservabilityPolicy.LogFormat;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.stacktrace.ShortenedThrowableConverter;
import org.slf4j.LoggerFactory;

/**
 * Configures logging from the policy: plain or JSON lines on standard output, written by a thread
 * of their own.
 */
public final class LoggingConfigurator {
  /** The stack frames that a line shows of each exception: deep recursion has a thousand. */
  private static final int MAX_FRAMES = 60;

  /**
   * The time is ISO 8601 with its offset, such as +01:00. The trace id is there only on lines about
   * a request whose trace is recorded.
   */
  private static final String PLAIN_PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSxxx} %-5level [%logger{0}]"
          + "%replace( trace-id=%X{trace_id}){'^ trace-id=$', ''} %msg%n%ex{"
          + MAX_FRAMES
          + "}";

  private LoggingConfigurator() {}

  public static void apply(ObservabilityPolicy policy) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    context.reset();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setName("console");
    console.setEncoder(encoder(policy.logFormat(), context));
    console.start();
    LogRateLimitFilter rateLimit = new LogRateLimitFilter(System::nanoTime);
    context.addTurboFilter(rateLimit);
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    AsyncLogAppender queue =
        new AsyncLogAppender(
            console, AsyncLogAppender.DEFAULT_CAPACITY, AsyncLogAppender.FLUSH_TIMEOUT, rateLimit);
    queue.setContext(context);
    queue.start();
    root.addAppender(queue);
    setLevel(policy);
    // OpenSearch's classes log as if they ran in a node: below a warning that only misleads
    context.getLogger("org.opensearch").setLevel(Level.WARN);
    context.getLogger("org.opensearch.deprecation").setLevel(Level.ERROR);
    // whatever the level of the root
    context.getLogger(AsyncLogAppender.AUDIT_LOGGER).setLevel(Level.INFO);
    context.getLogger("weir.access").setLevel(policy.accessLogEnabled() ? Level.INFO : Level.OFF);
  }

  /** Changes the level of the root logger to that of the policy, at once. */
  public static void setLevel(ObservabilityPolicy policy) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context
          .getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
          .setLevel(Level.valueOf(policy.logLevel().name()));
    }
  }

  /** Writes the queued lines; later lines are lost. */
  public static void stop() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }

  static Encoder<ILoggingEvent> encoder(LogFormat format, LoggerContext context) {
    return switch (format) {
      case JSON -> {
        LogstashEncoder json = new LogstashEncoder();
        json.setContext(context);
        ShortenedThrowableConverter frames = new ShortenedThrowableConverter();
        frames.setMaxDepthPerThrowable(MAX_FRAMES);
        json.setThrowableConverter(frames);
        json.start();
        yield json;
      }
      case PLAIN -> {
        EncodingLayout layout = new EncodingLayout();
        layout.setContext(context);
        layout.setPattern(PLAIN_PATTERN);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> plain = new LayoutWrappingEncoder<>();
        plain.setContext(context);
        plain.setLayout(layout);
        plain.start();
        yield plain;
      }
    };
  }
}
