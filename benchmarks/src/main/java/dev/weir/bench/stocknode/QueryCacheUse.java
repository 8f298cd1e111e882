package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The CPU of a repeated filter with the query cache, without it, and in small segments. */
final class QueryCacheUse {
  private static final String INDEX = "filters";
  private static final int VALUES = 1000;
  private static final int SEARCHES = 400;
  private static final int SMALL_SEGMENTS = 40;

  private final MeasuredNode node;
  private final PrintStream out;

  QueryCacheUse(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /** Prints a row for each way to keep the same documents. */
  void measure(int documents) {
    out.printf(
        "%n%-38s %10s %16s %12s %12s%n",
        "filter by " + VALUES / 4 + " of " + VALUES + " values",
        "segments",
        "CPU ms a search",
        "cache hits",
        "cache KB");
    measure("one segment, with the cache", "", documents, 1);
    measure("one segment, queries.cache off", "\"queries.cache.enabled\": false", documents, 1);
    measure("small segments, with the cache", "", documents, SMALL_SEGMENTS);
  }

  private void measure(String title, String settings, int documents, int segments) {
    String merges = "\"merge.policy.segments_per_tier\": 1000";
    node.create(
        INDEX,
        settings.isEmpty() ? merges : merges + ", " + settings,
        "\"group\": {\"type\": \"integer\"}, \"n\": {\"type\": \"integer\"}");
    for (int segment = 0; segment < segments; segment++) {
      node.load(
          INDEX,
          documents / segments * segment,
          documents / segments * (segment + 1),
          i -> "{\"group\":%d,\"n\":%d}".formatted(Math.floorMod(i * 7919L, VALUES), i));
      node.endSegment(INDEX);
    }
    if (segments == 1) {
      node.forceMerge(INDEX);
    }
    search(SEARCHES / 4);
    double cpu = node.cpuMillis(() -> search(SEARCHES));
    String stats = node.send("GET", "/" + INDEX + "/_stats/query_cache,segments?level=indices", "");
    String cache = stats.substring(stats.indexOf("\"query_cache\""));
    out.printf(
        Locale.ROOT,
        "%-38s %10d %16.2f %12d %12.0f%n",
        title,
        MeasuredNode.number(stats.substring(stats.indexOf("\"segments\"")), "count"),
        cpu / SEARCHES,
        MeasuredNode.number(cache, "hit_count"),
        MeasuredNode.number(cache, "memory_size_in_bytes") / 1e3);
    node.delete(INDEX);
  }

  /** Searches by the same filter, and another number each time. */
  private void search(int times) {
    String values =
        IntStream.range(0, VALUES / 4)
            .mapToObj(i -> Integer.toString(4 * i))
            .collect(Collectors.joining(","));
    for (int i = 0; i < times; i++) {
      node.send(
          "POST",
          "/" + INDEX + "/_search?request_cache=false",
          """
          {"size": 0, "query": {"bool": {"filter": [
            {"terms": {"group": [%s]}}, {"range": {"n": {"gte": %d}}}]}}}
          """
              .formatted(values, i));
    }
  }
}
