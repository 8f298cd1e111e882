package dev.weir.gateway.history;

import dev.weir.model.CompletedRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts requests by a name that clients choose, such as an index or a tenant, for a bounded number
 * of names. While many names are known, {@link #onStep} moves those with the fewest recent requests
 * to one common count, so that new names find a place. Safe on any thread.
 */
final class UsageByName {
  /** The kept characters of a name. */
  static final int MAX_NAME = 128;

  /** How much of the recent use still counts a step later: half of it after five minutes. */
  private static final double DECAY = 0.9885;

  private final int maxNames;
  private final ConcurrentHashMap<String, Usage> names = new ConcurrentHashMap<>();
  private final UsageCounts others = new UsageCounts();

  /** Removed names, whose last requests may still be counted while they are removed. */
  private final List<Usage> removed = new ArrayList<>();

  private UsageCounts.Sums folded = UsageCounts.Sums.ZERO;

  private static final class Usage {
    private final UsageCounts counts = new UsageCounts();
    private long seenRequests;
    private double recent;

    void update() {
      long now = counts.sums().requests();
      recent = recent * DECAY + (now - seenRequests);
      seenRequests = now;
    }
  }

  private record Row(String name, UsageCounts.Sums sums) {}

  /**
   * Creates it without names.
   *
   * @param maxNames how many names have counts of their own
   */
  UsageByName(int maxNames) {
    this.maxNames = maxNames;
  }

  /** Counts a request. */
  void add(String name, CompletedRequest request) {
    String kept = name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
    Usage known = names.get(kept);
    if (known == null && names.size() < maxNames) {
      known = names.computeIfAbsent(kept, any -> new Usage());
    }
    (known == null ? others : known.counts).add(request);
  }

  /** Makes room for further names. Called by one thread, once a step. */
  synchronized void onStep() {
    removed.forEach(one -> folded = folded.plus(one.counts.sums()));
    removed.clear();
    names.values().forEach(Usage::update);
    if (names.size() < maxNames * 3 / 4) {
      return;
    }
    names.entrySet().stream()
        .sorted(Comparator.comparingDouble(entry -> entry.getValue().recent))
        .limit(names.size() - maxNames / 2)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(name -> {
          Usage gone = names.remove(name);
          if (gone != null) {
            removed.add(gone);
          }
        });
  }

  /**
   * Describes the counts since the start for JSON: under {@code top} the names with the most
   * requests, and under {@code other} the sum of all others.
   */
  synchronized Map<String, Object> toMap(int most) {
    List<Row> rows = new ArrayList<>();
    names.forEach((name, usage) -> rows.add(new Row(name, usage.counts.sums())));
    rows.sort(
        Comparator.comparingLong((Row row) -> row.sums().requests())
            .reversed()
            .thenComparing(Row::name));
    UsageCounts.Sums rest = others.sums().plus(folded);
    for (Usage one : removed) {
      rest = rest.plus(one.counts.sums());
    }
    List<Object> top = new ArrayList<>();
    for (Row row : rows) {
      if (top.size() < most) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", row.name());
        shown.putAll(describe(row.sums()));
        top.add(shown);
      } else {
        rest = rest.plus(row.sums());
      }
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("top", top);
    body.put("other", describe(rest));
    return body;
  }

  private static Map<String, Object> describe(UsageCounts.Sums sums) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("requests", sums.requests());
    row.put("errors", sums.failed());
    row.put("rejections", sums.rejected());
    row.put("took_ms", sums.tookMillis());
    row.put("request_bytes", sums.requestBytes());
    row.put("response_bytes", sums.responseBytes());
    row.put("cumulative_counts", sums.buckets().cumulative());
    return row;
  }
}
