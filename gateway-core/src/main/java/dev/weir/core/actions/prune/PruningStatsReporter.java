package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.IndexBounds;
import dev.weir.cluster.bounds.KnownBounds.ConfirmableBounds;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reports which shards searches skipped by time: the section {@code time_pruning} of {@code
 * /stats}, the page {@code /search/time-pruning} with the known bounds, and its metrics.
 */
public record PruningStatsReporter(TimePruningService pruning) implements StatsReporter {
  private record OutcomeCount(String label, long count) {}

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> searches = new LinkedHashMap<>();
    outcomeCounts(pruning.timePruning().counts())
        .forEach(outcome -> searches.put(outcome.label(), outcome.count()));
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("searches", searches);
    body.put("skipped_shards", pruning.timePruning().counts().skippedShards());
    body.put("skipped_writable_shards", pruning.timePruning().counts().skippedWritableShards());
    body.put("known_indices", pruning.learnedBounds().current().byName().size());
    body.put("unconfirmed_indices", pruning.learnedBounds().current().guesses().size());
    body.put("known_copies", pruning.learnedCopies().copyCount());
    body.put("learned_indices", pruning.learnedBounds().learnedCount());
    body.put("invalidations", pruning.learnedBounds().invalidatedCount());
    body.put("learn_failures", pruning.boundsLearner().failures());
    body.put("last_learn_failure", pruning.boundsLearner().lastFailure());
    body.put("node_checks", pruning.nodePositions().queryCount());
    body.put("copy_checks", pruning.copyChecks().queryCount());
    return Map.of("time_pruning", body);
  }

  @Override
  public void addPages(AdminPageRegistry site) {
    site.get("/search/time-pruning", () -> AdminResponse.json(200, knownBounds()));
  }

  private Map<String, Object> knownBounds() {
    Map<String, Object> indices = new TreeMap<>();
    for (ConfirmableBounds known : pruning.learnedBounds().current().byName().values()) {
      indices.put(known.index().name(), index(known.index()));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("indices", indices);
    return body;
  }

  private static Map<String, Object> index(IndexBounds index) {
    Map<String, Object> fields = new TreeMap<>();
    index.fields().forEach((field, bounds) -> fields.put(field, bounds(bounds)));
    Map<String, Object> versions = new LinkedHashMap<>();
    versions.put("settings", index.versions().settings());
    versions.put("mapping", index.versions().mapping());
    versions.put("primary_terms", new ArrayList<>(index.versions().primaryTerms()));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("uuid", index.uuid());
    row.put("fields", fields);
    row.put("versions", versions);
    row.put("learned_at", index.learnedAt().toString());
    return row;
  }

  private static Map<String, Object> bounds(DateBounds bounds) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("min", Instant.ofEpochMilli(bounds.min()).toString());
    shown.put("max", Instant.ofEpochMilli(bounds.max()).toString());
    shown.put("format", bounds.format());
    return shown;
  }

  private static List<OutcomeCount> outcomeCounts(PruningCounts counts) {
    return List.of(
        new OutcomeCount("pruned", counts.prunedSearches()),
        new OutcomeCount("restarted", counts.restartedSearches()),
        new OutcomeCount("unconfirmed", counts.unconfirmedSearches()),
        new OutcomeCount("too-few-shards", counts.tooFewShardsSearches()));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<OutcomeCount>(
                () -> outcomeCounts(pruning.timePruning().counts()),
                outcome -> Map.of("outcome", outcome.label()),
                List.of(
                    Column.counter(
                        "weir_time_pruning_searches",
                        "Searches with shards that could be skipped by time, by outcome",
                        OutcomeCount::count))))
        .counter(
            "weir_time_pruning_skipped_shards",
            "Shards skipped by time",
            () -> pruning.timePruning().counts().skippedShards())
        .counter(
            "weir_time_pruning_skipped_writable_shards",
            "Shards skipped by time that are of indices without a write block",
            () -> pruning.timePruning().counts().skippedWritableShards())
        .gauge(
            "weir_time_pruning_known_copies",
            "Copies of shards with known bounds, of indices without a write block",
            () -> pruning.learnedCopies().copyCount())
        .counter(
            "weir_time_pruning_copy_checks",
            "Requests that asked a node for the readers of its copies",
            () -> pruning.copyChecks().queryCount())
        .gauge(
            "weir_time_pruning_known_indices",
            "Indices with known time bounds",
            () -> pruning.learnedBounds().current().byName().size())
        .gauge(
            "weir_time_pruning_unconfirmed_indices",
            "Indices whose time bounds must be confirmed before they are used",
            () -> pruning.learnedBounds().current().guesses().size())
        .counter(
            "weir_time_pruning_learned_indices",
            "Times that bounds of an index were learned",
            () -> pruning.learnedBounds().learnedCount())
        .counter(
            "weir_time_pruning_invalidations",
            "Indices whose learned bounds became invalid",
            () -> pruning.learnedBounds().invalidatedCount())
        .counter(
            "weir_time_pruning_learn_failures",
            "Attempts to learn bounds that failed or found no time",
            () -> pruning.boundsLearner().failures())
        .counter(
            "weir_time_pruning_node_checks",
            "Requests that asked a node which cluster state it has applied",
            () -> pruning.nodePositions().queryCount());
  }
}
