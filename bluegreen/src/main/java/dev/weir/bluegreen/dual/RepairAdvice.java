package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What an operator should know of a repair log before it is repaired, and do first. Stateless. */
public final class RepairAdvice {
  private RepairAdvice() {}

  private record Pair(String from, String to) {
    Pair opposite() {
      return new Pair(to, from);
    }
  }

  /**
   * Reads a log and gives advice, one line each: how many entries each direction has, and in which
   * order to proceed.
   *
   * @param weights the shares of traffic by cluster; a cluster without one gets none
   * @param writesTwice whether dual writes are on now
   * @throws IOException if the log can't be read
   */
  public static List<String> of(Path directory, Map<String, Double> weights, boolean writesTwice)
      throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    Map<String, Pair> pairs = new TreeMap<>();
    for (RepairLogFile file : RepairLogFile.listPending(directory)) {
      file.forEachEntry(
          (entry, position) -> {
            String direction = entry.sourceCluster() + " to " + entry.targetCluster();
            counts.merge(direction, 1L, Long::sum);
            pairs.putIfAbsent(direction, new Pair(entry.sourceCluster(), entry.targetCluster()));
          },
          unreadable -> {});
    }
    List<String> lines = new ArrayList<>();
    counts.forEach((direction, count) -> lines.add(direction + ": " + count + " entries"));
    for (Pair pair : pairs.values()) {
      if (pair.from().compareTo(pair.to()) < 0 && pairs.containsValue(pair.opposite())) {
        lines.add(
            "advice: the log has entries both ways between %s and %s. First repair without --from and --to: each document then goes the way of its last write. Use --from-wins only for what is left after that."
                .formatted(pair.from(), pair.to()));
      }
      if (!hasTraffic(weights, pair.from()) && hasTraffic(weights, pair.to())) {
        lines.add(adviceForOld(pair, writesTwice));
      }
    }
    return lines;
  }

  private static boolean hasTraffic(Map<String, Double> weights, String cluster) {
    return weights.getOrDefault(cluster, 0.0) > 0;
  }

  private static String adviceForOld(Pair pair, boolean writesTwice) {
    String first =
        writesTwice
            ? "First look at --dry-run"
            : "First turn on dual writes, so that no new differences arise, and look at --dry-run";
    return "advice: by the configured weights %2$s gets the requests and %1$s none, but the log has entries from %1$s. Clients may have changed these documents in %2$s since. %3$s: a document with a higher version in %2$s stays as it is. Do not use --from-wins here, it would replace later writes in %2$s."
        .formatted(pair.from(), pair.to(), first);
  }
}
