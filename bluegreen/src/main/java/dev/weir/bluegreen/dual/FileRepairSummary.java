package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.DocumentRepairer.Result;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the results of repairing the documents of a file. Safe on any thread. */
final class FileRepairSummary {
  /** The maximum of failures that are shown one by one. */
  private static final int MAX_SHOWN_FAILURES = 20;

  private final int documents;
  private final Map<Result, AtomicInteger> results = new EnumMap<>(Result.class);
  private final AtomicInteger failed = new AtomicInteger();
  private final Queue<String> shownFailures = new ConcurrentLinkedQueue<>();

  FileRepairSummary(int documents) {
    this.documents = documents;
    for (Result result : Result.values()) {
      results.put(result, new AtomicInteger());
    }
  }

  void add(RepairEntry.DocumentEntry entry, Result result) {
    results.computeIfPresent(
        result,
        (same, count) -> {
          count.incrementAndGet();
          return count;
        });
    if (result == Result.NEWER_IN_TARGET) {
      show(entry, "has a higher version in " + entry.targetCluster() + ", left as it is");
    } else if (result == Result.CROSSED) {
      show(
          entry,
          "was written in "
              + entry.sourceCluster()
              + " and in "
              + entry.targetCluster()
              + " without the other, left as it is");
    } else if (result == Result.OTHER_DIRECTION) {
      show(
          entry,
          "was written later in "
              + entry.targetCluster()
              + ", left as it is (expected: a repair without --from and --to)");
    } else if (result == Result.MISSING_IN_SOURCE) {
      show(entry, "can't be found in " + entry.sourceCluster() + ", nor is known to be gone there");
    }
  }

  void fail(RepairEntry.DocumentEntry entry, String reason) {
    failed.incrementAndGet();
    show(entry, reason);
  }

  private void show(RepairEntry.DocumentEntry entry, String reason) {
    if (shownFailures.size() < MAX_SHOWN_FAILURES) {
      shownFailures.add(entry.document().index() + "/" + entry.document().id() + ": " + reason);
    }
  }

  /** The first failures, for operators. */
  List<String> shownFailures() {
    return List.copyOf(shownFailures);
  }

  private int count(Result result) {
    AtomicInteger count = results.get(result);
    return count == null ? 0 : count.get();
  }

  private String optional(Result result, String name) {
    return count(result) == 0 ? "" : count(result) + name;
  }

  @Override
  public String toString() {
    return count(Result.WRITTEN)
        + " written, "
        + count(Result.DELETED)
        + " deleted, "
        + count(Result.SAME)
        + " the same already, "
        + count(Result.NEWER_IN_TARGET)
        + " with a higher version, "
        + count(Result.MISSING_IN_SOURCE)
        + " not found, "
        + optional(Result.CROSSED, " written in both, ")
        + optional(Result.OTHER_DIRECTION, " written later in the other, ")
        + failed.get()
        + " failed, of "
        + documents;
  }
}
