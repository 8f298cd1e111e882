package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.DocumentRepairer.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the results of repairing documents, by direction. Safe on any thread. */
final class FileRepairSummary {
  /** The maximum of failures that are shown one by one. */
  private static final int MAX_SHOWN_FAILURES = 20;

  private final boolean dryRun;
  private final Map<String, Counts> directions = new TreeMap<>();
  private final List<String> shownFailures = new ArrayList<>();

  private static final class Counts {
    private final Map<Result, Integer> results = new EnumMap<>(Result.class);
    private int failed;

    int of(Result result) {
      return results.getOrDefault(result, 0);
    }
  }

  /**
   * Creates a summary of nothing.
   *
   * @param dryRun whether the results say what a repair would do
   */
  FileRepairSummary(boolean dryRun) {
    this.dryRun = dryRun;
  }

  private Counts counts(RepairEntry.DocumentEntry entry) {
    return directions.computeIfAbsent(
        entry.sourceCluster() + " to " + entry.targetCluster(), absent -> new Counts());
  }

  synchronized void add(RepairEntry.DocumentEntry entry, Result result) {
    counts(entry).results.merge(result, 1, Integer::sum);
    String from = entry.sourceCluster();
    String to = entry.targetCluster();
    switch (result) {
      case WRITTEN, DELETED, SAME -> {}
      case NEWER_IN_TARGET -> show(entry, "has a higher version in " + to + ", left as it is");
      case CROSSED ->
          show(
              entry,
              "was written in " + from + " and in " + to + " without the other, left as it is");
      case OTHER_DIRECTION ->
          show(
              entry,
              "was written later in "
                  + to
                  + ", left as it is (expected: a repair without --from and --to)");
      case MISSING_IN_SOURCE ->
          show(entry, "can't be found in " + from + ", nor is known to be gone there");
      case MISSING_IN_BACKING_INDEX ->
          show(entry, "is not in this backing index in " + to + ", which accepts no new documents");
    }
  }

  synchronized void fail(RepairEntry.DocumentEntry entry, String reason) {
    counts(entry).failed++;
    show(entry, reason);
  }

  private void show(RepairEntry.DocumentEntry entry, String reason) {
    if (shownFailures.size() < MAX_SHOWN_FAILURES) {
      shownFailures.add(entry.document().index() + "/" + entry.document().id() + ": " + reason);
    }
  }

  /** The first failures, for operators. */
  synchronized List<String> shownFailures() {
    return List.copyOf(shownFailures);
  }

  /** The counts, for operators: a line for each direction. */
  synchronized List<String> lines() {
    return directions.entrySet().stream()
        .map(direction -> direction.getKey() + ": " + format(direction.getValue()))
        .toList();
  }

  private String format(Counts counts) {
    List<String> parts = new ArrayList<>();
    if (dryRun) {
      parts.add("would write " + counts.of(Result.WRITTEN));
      parts.add("would delete " + counts.of(Result.DELETED));
    } else {
      parts.add(counts.of(Result.WRITTEN) + " written");
      parts.add(counts.of(Result.DELETED) + " deleted");
    }
    parts.add(counts.of(Result.SAME) + " the same already");
    parts.add(counts.of(Result.NEWER_IN_TARGET) + " with a higher version");
    if (counts.of(Result.CROSSED) > 0) {
      parts.add(counts.of(Result.CROSSED) + " written in both");
    }
    if (counts.of(Result.OTHER_DIRECTION) > 0) {
      parts.add(counts.of(Result.OTHER_DIRECTION) + " written later in the other");
    }
    int notFound = counts.of(Result.MISSING_IN_SOURCE) + counts.of(Result.MISSING_IN_BACKING_INDEX);
    parts.add(notFound + " not found");
    parts.add(counts.failed + " failed");
    int documents =
        counts.failed + counts.results.values().stream().mapToInt(Integer::intValue).sum();
    return String.join(", ", parts) + ", of " + documents;
  }
}
