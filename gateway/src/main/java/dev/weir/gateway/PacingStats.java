package dev.weir.gateway;

import dev.weir.admission.pace.Pacer;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Shows what the limits on requests' pace did. */
final class PacingStats {
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e6;

  /** Requests of a rule with one outcome. */
  private record Outcome(String rule, String outcome, long requests) {}

  private PacingStats() {}

  /** The section {@code pacing} of {@code /stats}. */
  static Map<String, Object> of(Pacer pacer) {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("waiting", pacer.waiting());
    section.put("rules", pacer.counts().stream().map(PacingStats::row).toList());
    return section;
  }

  private static Map<String, Object> row(Pacer.Count count) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rule", count.rule());
    row.put("dry_run", count.dryRun());
    row.put("passed", count.passed());
    row.put("delayed", count.delayed());
    row.put("delayed_ms", Math.round(count.delayNanos() / MILLIS));
    row.put("refused", count.refused());
    row.put("would_pass", count.dryPassed());
    row.put("would_delay", count.dryDelayed());
    row.put("would_refuse", count.dryRefused());
    row.put("keys", count.keys());
    row.put("shared", count.shared());
    return row;
  }

  static void bind(Pacer pacer, Metrics metrics) {
    metrics
        .gauge("weir_pacing_waiting", "Requests held back by a limit on their pace", pacer::waiting)
        .table(
            new NodeTable<Outcome>(
                () -> outcomes(pacer),
                outcome -> Map.of("rule", outcome.rule(), "outcome", outcome.outcome()),
                List.of(
                    Column.counter(
                        "weir_pacing_requests",
                        "Requests that a limit concerned, by what it did or would have done",
                        Outcome::requests))))
        .table(
            new NodeTable<Pacer.Count>(
                pacer::counts,
                count -> Map.of("rule", count.rule()),
                List.of(
                    Column.counter(
                        "weir_pacing_delay_seconds",
                        "For how long a limit held requests back, together",
                        count -> count.delayNanos() / NANOS),
                    Column.gauge(
                        "weir_pacing_keys",
                        "Tenants, indices or addresses that a limit counts by themselves",
                        Pacer.Count::keys),
                    Column.counter(
                        "weir_pacing_keys_shared",
                        "Requests that had to share an allowance, as there were too many keys",
                        Pacer.Count::shared))));
  }

  private static List<Outcome> outcomes(Pacer pacer) {
    Map<String, ToLongFunction<Pacer.Count>> kinds = new LinkedHashMap<>();
    kinds.put("passed", Pacer.Count::passed);
    kinds.put("delayed", Pacer.Count::delayed);
    kinds.put("refused", Pacer.Count::refused);
    kinds.put("would-pass", Pacer.Count::dryPassed);
    kinds.put("would-delay", Pacer.Count::dryDelayed);
    kinds.put("would-refuse", Pacer.Count::dryRefused);
    List<Outcome> rows = new ArrayList<>();
    for (Pacer.Count count : pacer.counts()) {
      kinds.forEach(
          (name, number) -> rows.add(new Outcome(count.rule(), name, number.applyAsLong(count))));
    }
    return rows;
  }
}
