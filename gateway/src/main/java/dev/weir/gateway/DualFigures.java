package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualCounts;
import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of repeated writes, as metrics and for operators. */
final class DualFigures {
  private DualFigures() {}

  static void bind(DualCounts counts, Figures metrics) {
    metrics
        .table(
            new NodeTable<DualCounts.Count>(
                counts::outcomes,
                count -> Map.of("to", count.to(), "outcome", count.what()),
                List.of(
                    Column.counter(
                        "weir_dual_writes",
                        "Writes that another cluster acknowledged, by what became of them on this"
                            + " one",
                        DualCounts.Count::count))))
        .table(
            new NodeTable<DualCounts.Count>(
                counts::failures,
                count -> Map.of("to", count.to(), "type", count.what()),
                List.of(
                    Column.counter(
                        "weir_dual_write_failures",
                        "Those that failed, by the type of the failure",
                        DualCounts.Count::count))))
        .table(
            new NodeTable<String>(
                () -> List.copyOf(counts.names()),
                to -> Map.of("to", to),
                List.of(
                    Column.counter(
                        "weir_dual_writes_logged",
                        "Entries of the repair log, on disk",
                        counts::logged),
                    Column.counter(
                        "weir_dual_writes_unlogged",
                        "Entries that the repair log did not take: what they tell of can't be"
                            + " repaired",
                        counts::unlogged))))
        .counter(
            "weir_repair_log_lost",
            "Entries that the repair log did not take, of all clusters together",
            () -> counts.names().stream().mapToLong(counts::unlogged).sum());
  }

  static Map<String, Object> stats(DualCounts counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (String to : counts.names()) {
      Map<String, Object> outcomes = new LinkedHashMap<>();
      counts.outcomes().stream()
          .filter(count -> count.to().equals(to))
          .forEach(count -> outcomes.put(count.what().replace('-', '_'), count.count()));
      Map<String, Object> failures = new LinkedHashMap<>();
      counts.failures().stream()
          .filter(count -> count.to().equals(to))
          .forEach(count -> failures.put(count.what(), count.count()));
      outcomes.put("failures", failures);
      outcomes.put("logged", counts.logged(to));
      outcomes.put("unlogged", counts.unlogged(to));
      shown.put(to, outcomes);
    }
    return shown;
  }
}
