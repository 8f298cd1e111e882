package dev.weir.gateway.logging;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Reports the queue of log lines: the section {@code log} of {@code /stats}, and its metrics. */
public record LogStatsReporter() implements StatsReporter {
  private record DroppedLines(String log, ToLongFunction<AsyncLogAppender> count) {}

  private static final List<DroppedLines> LOGS =
      List.of(
          new DroppedLines("access", AsyncLogAppender::droppedAccessLines),
          new DroppedLines("gateway", AsyncLogAppender::droppedGatewayLines));

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("queued_lines", read(AsyncLogAppender::queuedLines));
    LOGS.forEach(log -> section.put("dropped_" + log.log() + "_lines", read(log.count())));
    section.put("suppressed_lines", read(AsyncLogAppender::suppressedLines));
    return Map.of("log", section);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_log_queued_lines",
            "Log lines that wait to be written",
            () -> read(AsyncLogAppender::queuedLines))
        .counter(
            "weir_log_suppressed_lines",
            "Log lines left out because their place in the code logged too many",
            () -> read(AsyncLogAppender::suppressedLines))
        .table(
            new MetricTable<DroppedLines>(
                () -> LOGS,
                log -> Map.of("log", log.log()),
                List.of(
                    Column.counter(
                        "weir_log_dropped_lines",
                        "Log lines dropped because the queue of lines was full, by log",
                        log -> read(log.count())))));
  }

  /** 0 where another appender is installed, as in tests. */
  private static long read(ToLongFunction<AsyncLogAppender> figure) {
    AsyncLogAppender appender = AsyncLogAppender.installed();
    return appender == null ? 0 : figure.applyAsLong(appender);
  }
}
