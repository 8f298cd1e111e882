package dev.weir.bluegreen.dual;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Reports the outcomes of repeated writes: the section {@code dual_writes} of {@code /stats}, and
 * its metrics.
 */
public record DualWriteStatsReporter(DualWriteCounts counts, LongSupplier openIntents)
    implements StatsReporter {

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<DualWriteCounts.Count>(
                counts::outcomes,
                count -> Map.of("target_cluster", count.cluster(), "outcome", count.label()),
                List.of(
                    Column.counter(
                        "weir_dual_writes",
                        "Writes repeated on another cluster, by outcome",
                        DualWriteCounts.Count::count))))
        .table(
            new MetricTable<DualWriteCounts.Count>(
                counts::failures,
                count -> Map.of("target_cluster", count.cluster(), "type", count.label()),
                List.of(
                    Column.counter(
                        "weir_dual_write_failures",
                        "Failed writes on another cluster, by exception type",
                        DualWriteCounts.Count::count))))
        .table(
            new MetricTable<String>(
                () -> List.copyOf(counts.clusterNames()),
                to -> Map.of("target_cluster", to),
                List.of(
                    Column.counter(
                        "weir_dual_write_log_entries",
                        "Entries written to the repair log",
                        counts::logged),
                    Column.counter(
                        "weir_dual_write_log_failures",
                        "Entries that the repair log could not take",
                        counts::unlogged),
                    Column.counter(
                        "weir_dual_write_intents",
                        "Requests that the intent log took before they left",
                        counts::intentsRecorded),
                    Column.counter(
                        "weir_dual_write_intents_recovered",
                        "Writes under way when a gateway ended, now in the repair log",
                        counts::intentsRecovered))))
        .table(
            new MetricTable<DualWriteCounts.Count>(
                counts::intentFailures,
                count -> Map.of("target_cluster", count.cluster(), "result", count.label()),
                List.of(
                    Column.counter(
                        "weir_dual_write_intent_failures",
                        "Requests that the intent log did not take, by what became of them",
                        DualWriteCounts.Count::count))))
        .gauge(
            "weir_dual_write_open_intents",
            "Requests of dual writes that are under way, in the intent log",
            openIntents::getAsLong)
        .counter(
            "weir_repair_log_lost_entries",
            "Entries that the repair log could not take, all clusters together",
            () -> counts.clusterNames().stream().mapToLong(counts::unlogged).sum());
  }

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (String to : counts.clusterNames()) {
      Map<String, Object> outcomes = new LinkedHashMap<>();
      counts.outcomes().stream()
          .filter(count -> count.cluster().equals(to))
          .forEach(count -> outcomes.put(count.label().replace('-', '_'), count.count()));
      Map<String, Object> failures = new LinkedHashMap<>();
      counts.failures().stream()
          .filter(count -> count.cluster().equals(to))
          .forEach(count -> failures.put(count.label(), count.count()));
      outcomes.put("failures", failures);
      outcomes.put("log_entries", counts.logged(to));
      outcomes.put("log_failures", counts.unlogged(to));
      outcomes.put("intents", counts.intentsRecorded(to));
      counts.intentFailures().stream()
          .filter(count -> count.cluster().equals(to))
          .forEach(count -> outcomes.put("intent_failures_" + count.label(), count.count()));
      outcomes.put("intents_recovered", counts.intentsRecovered(to));
      shown.put(to, outcomes);
    }
    return Map.of("dual_writes", shown);
  }
}
