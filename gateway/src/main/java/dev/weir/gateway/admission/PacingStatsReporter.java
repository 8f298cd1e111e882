package dev.weir.gateway.admission;

import dev.weir.admission.pace.RequestPacer;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Reports what rate limits did: the section {@code pacing} of {@code /stats}, and its metrics. */
public record PacingStatsReporter(RequestPacer pacer) implements StatsReporter {
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e6;

  /** Requests of a rule with one outcome. */
  private record OutcomeCount(String rule, String outcome, long count) {}

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("waiting_requests", pacer.delayedRequests());
    section.put("rules", pacer.ruleStats().stream().map(PacingStatsReporter::row).toList());
    return Map.of("pacing", section);
  }

  private static Map<String, Object> row(RequestPacer.RuleStats count) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rule", count.rule());
    row.put("dry_run", count.dryRun());
    row.put("allowed", count.passed());
    row.put("delayed", count.delayed());
    row.put("delayed_ms", Math.round(count.delayNanos() / MILLIS));
    row.put("rejected", count.rejected());
    row.put("dry_run_allowed", count.dryRunPassed());
    row.put("dry_run_delayed", count.dryRunDelayed());
    row.put("dry_run_rejected", count.dryRunRejected());
    row.put("keys", count.keys());
    row.put("shared_key_requests", count.sharedKeys());
    return row;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_pacing_waiting_requests",
            "Requests that a rate limit delays now",
            pacer::delayedRequests)
        .table(
            new MetricTable<OutcomeCount>(
                () -> outcomeCounts(),
                outcome -> Map.of("rule", outcome.rule(), "outcome", outcome.outcome()),
                List.of(
                    Column.counter(
                        "weir_pacing_requests",
                        "Requests that matched a rate limit, by outcome",
                        OutcomeCount::count))))
        .table(
            new MetricTable<RequestPacer.RuleStats>(
                pacer::ruleStats,
                count -> Map.of("rule", count.rule()),
                List.of(
                    Column.counter(
                        "weir_pacing_delay_seconds",
                        "Seconds for which a rate limit delayed requests",
                        count -> count.delayNanos() / NANOS),
                    Column.gauge(
                        "weir_pacing_keys",
                        "Keys with their own allowance",
                        RequestPacer.RuleStats::keys),
                    Column.counter(
                        "weir_pacing_shared_key_requests",
                        "Requests that shared an allowance because there were too many keys",
                        RequestPacer.RuleStats::sharedKeys))));
  }

  private List<OutcomeCount> outcomeCounts() {
    Map<String, ToLongFunction<RequestPacer.RuleStats>> kinds = new LinkedHashMap<>();
    kinds.put("allowed", RequestPacer.RuleStats::passed);
    kinds.put("delayed", RequestPacer.RuleStats::delayed);
    kinds.put("rejected", RequestPacer.RuleStats::rejected);
    kinds.put("dry-run-allowed", RequestPacer.RuleStats::dryRunPassed);
    kinds.put("dry-run-delayed", RequestPacer.RuleStats::dryRunDelayed);
    kinds.put("dry-run-rejected", RequestPacer.RuleStats::dryRunRejected);
    List<OutcomeCount> rows = new ArrayList<>();
    for (RequestPacer.RuleStats count : pacer.ruleStats()) {
      kinds.forEach((name, number) ->
          rows.add(new OutcomeCount(count.rule(), name, number.applyAsLong(count))));
    }
    return rows;
  }
}
