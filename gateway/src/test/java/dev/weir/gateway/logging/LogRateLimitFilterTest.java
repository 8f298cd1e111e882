package dev.weir.gateway.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.ShardSearchFailure;

final class LogRateLimitFilterTest {
  private static final long INTERVAL = LogRateLimitFilter.INTERVAL.toNanos();
  private static final int MANY = 10_000;

  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private long nanos;
  private final LogRateLimitFilter filter = new LogRateLimitFilter(() -> nanos);

  @BeforeEach
  void install() {
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.addTurboFilter(filter);
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    written.start();
    root.addAppender(written);
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  private List<String> summaries(boolean force) {
    List<String> lines = new ArrayList<>();
    filter.summarize(
        force, event -> lines.add(event.getLevel() + " " + event.getFormattedMessage()));
    return lines;
  }

  @Test
  void boundTheLinesOfOnePlaceAndCountTheRest() {
    Logger logger = context.getLogger("dev.weir.Some");
    for (int i = 0; i < MANY; i++) {
      logger.warn("node {} failed", i);
    }

    assertThat(written.list).hasSize(LogRateLimitFilter.MAX_LINES);
    assertThat(summaries(false)).isEmpty();
    nanos += INTERVAL;
    assertThat(summaries(false))
        .containsExactly("WARN left out 9980 more lines within 10 s like: node {} failed");
    assertThat(filter.suppressedLines()).isEqualTo(9980);

    logger.warn("node {} failed", 0);
    assertThat(written.list).hasSize(LogRateLimitFilter.MAX_LINES + 1);
    assertThat(summaries(true)).isEmpty();
  }

  @Test
  void countAStackTraceAsSeveralLines() {
    Logger logger = context.getLogger("dev.weir.Some");
    for (int i = 0; i < MANY; i++) {
      logger.error("request {} failed", i, new IllegalStateException("defect"));
    }

    assertThat(written.list)
        .hasSize(LogRateLimitFilter.MAX_LINES / LogRateLimitFilter.TRACE_LINES)
        .allMatch(line -> line.getThrowableProxy() != null);
  }

  @Test
  void keepOtherPlacesAndSlowOnesWhole() {
    Logger logger = context.getLogger("dev.weir.Some");
    for (int i = 0; i < MANY; i++) {
      logger.warn("frequent {}", i);
    }
    written.list.clear();

    logger.warn("rare {}", 1);
    logger.error("frequent {}", 1);
    context.getLogger("dev.weir.Other").warn("frequent {}", 1);
    assertThat(written.list).hasSize(3);

    written.list.clear();
    for (int i = 0; i < 100; i++) {
      nanos += INTERVAL;
      summaries(false);
      logger.warn("slow {}", i);
    }
    assertThat(written.list).hasSize(100);
  }

  @Test
  void treatFormattedMessagesOfOneLoggerAsOnePlace() {
    Logger logger = context.getLogger("org.opensearch.Some");
    for (int i = 0; i < MANY; i++) {
      logger.warn("path /" + i);
    }

    assertThat(written.list).hasSize(LogRateLimitFilter.MAX_LINES);
    assertThat(summaries(true)).containsExactly("WARN left out 9980 more lines within 10 s");
  }

  @Test
  void boundTheMemoryOfPatternsThatAreNotConstant() {
    Logger logger = context.getLogger("dev.weir.Some");
    for (int i = 0; i < MANY; i++) {
      logger.warn("concatenated " + i);
    }

    assertThat(written.list).hasSizeLessThan(1000);
  }

  @Test
  void exemptTheAccessLogAndLevelsThatAreOff() {
    for (int i = 0; i < 100; i++) {
      context.getLogger("weir.access").info("request {}", i);
      context.getLogger("dev.weir.Some").debug("detail {}", i);
    }

    assertThat(written.list).hasSize(100);
    assertThat(filter.suppressedLines()).isZero();
  }

  @Test
  void shortenTheFailuresOfNodesToALine() {
    Logger logger = context.getLogger("rest.suppressed");
    logger.warn(
        "path: /a/_search, params: {index=a}",
        new SearchPhaseExecutionException(
            "query",
            "all shards failed",
            new OpenSearchException("no shard\navailable"),
            ShardSearchFailure.EMPTY_ARRAY));

    ILoggingEvent line = written.list.getFirst();
    assertThat(line.getThrowableProxy()).isNull();
    assertThat(line.getFormattedMessage())
        .startsWith("path: /a/_search, params: {index=a}: ")
        .contains("all shards failed", "no shard available")
        .doesNotContain("\n");

    logger.warn("path: /a/_search", new IllegalStateException("defect of the gateway"));
    assertThat(written.list.getLast().getThrowableProxy()).isNotNull();
  }
}
