package dev.weir.gateway;

import dev.weir.core.actions.prune.PruningCounts;
import dev.weir.cluster.bounds.DateBounds;
import dev.weir.cluster.bounds.KnownBounds.Known;
import dev.weir.cluster.bounds.LearnedIndex;
import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What leaving indices out by time did, and what is known of them, for operators. */
final class PruningFigures {
  private record Outcome(String label, long searches) {}

  private PruningFigures() {}

  static Map<String, Object> stats(Pruning pruning) {
    Map<String, Object> searches = new LinkedHashMap<>();
    outcomes(pruning.searches().counts())
        .forEach(outcome -> searches.put(outcome.label(), outcome.searches()));
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("searches", searches);
    body.put("shards_skipped", pruning.searches().counts().skippedShards());
    body.put("known_indices", pruning.learned().newest().byName().size());
    body.put("guessed_indices", pruning.learned().newest().guesses().size());
    body.put("learned", pruning.learned().learned());
    body.put("invalidated", pruning.learned().invalidated());
    body.put("learn_failures", pruning.learner().failures());
    body.put("last_learn_failure", pruning.learner().lastFailure());
    body.put("node_checks", pruning.positions().questions());
    return body;
  }

  /** Every index whose bounds are known. */
  static Map<String, Object> learned(Pruning pruning) {
    Map<String, Object> indices = new TreeMap<>();
    for (Known known : pruning.learned().newest().byName().values()) {
      indices.put(known.index().name(), index(known.index()));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("indices", indices);
    return body;
  }

  private static Map<String, Object> index(LearnedIndex index) {
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

  private static List<Outcome> outcomes(PruningCounts counts) {
    return List.of(
        new Outcome("pruned", counts.prunedSearches()),
        new Outcome("repeated", counts.repeatedSearches()),
        new Outcome("unconfirmed", counts.unconfirmedSearches()),
        new Outcome("too-few", counts.tooFewShards()));
  }

  static void bind(Pruning pruning, Figures metrics) {
    metrics
        .table(
            new NodeTable<Outcome>(
                () -> outcomes(pruning.searches().counts()),
                outcome -> Map.of("outcome", outcome.label()),
                List.of(
                    Column.counter(
                        "weir_time_pruning_searches",
                        "Searches of which shards could be left out by time, by what became of"
                            + " them",
                        Outcome::searches))))
        .counter(
            "weir_time_pruning_shards_skipped",
            "Shards that were left out of searches by time",
            () -> pruning.searches().counts().skippedShards())
        .gauge(
            "weir_time_pruning_known_indices",
            "Indices whose earliest and latest times are known",
            () -> pruning.learned().newest().byName().size())
        .gauge(
            "weir_time_pruning_guessed_indices",
            "Indices whose times are guessed, so that their shards are asked whether they can"
                + " match",
            () -> pruning.learned().newest().guesses().size())
        .counter(
            "weir_time_pruning_learned",
            "Indices whose times were learned, each time",
            () -> pruning.learned().learned())
        .counter(
            "weir_time_pruning_invalidated",
            "Indices whose times were forgotten because they may have changed or are gone",
            () -> pruning.learned().invalidated())
        .counter(
            "weir_time_pruning_learn_failures",
            "Attempts to learn an index's times that failed or found none",
            () -> pruning.learner().failures())
        .counter(
            "weir_time_pruning_node_checks",
            "Questions to nodes which state of the cluster they have applied",
            () -> pruning.positions().questions());
  }
}
