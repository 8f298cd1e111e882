package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.Locale;

/**
 * The CPU of loading documents in the order of time by merge policy, and that of searches by time.
 */
final class MergePolicies {
  private static final String INDEX = "merges";
  private static final int REFRESHES = 60;
  private static final int SEARCHES = 300;
  private static final long START_MILLIS = 1_700_000_000_000L;

  private final MeasuredNode node;
  private final PrintStream out;

  MergePolicies(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /** Prints a row for each policy. */
  void measure(int documents) {
    load("tiered", documents / 2); // a node that is still compiling takes more
    node.delete(INDEX);
    out.printf(
        "%n%-16s %10s %14s %14s %20s%n",
        "merge policy", "segments", "load CPU s", "merged MB", "newest 1 % CPU ms");
    for (String policy : new String[] {"tiered", "log_byte_size"}) {
      measure(policy, documents);
    }
  }

  private void load(String policy, int documents) {
    node.create(
        INDEX,
        "\"merge.policy\": \"" + policy + "\"",
        "\"@timestamp\": {\"type\": \"date\"}, \"host\": {\"type\": \"keyword\"},"
            + " \"message\": {\"type\": \"text\"}");
    int step = Math.max(1, documents / REFRESHES);
    for (int from = 0; from < documents; from += step) {
      node.load(INDEX, from, Math.min(documents, from + step), MergePolicies::document);
      node.endSegment(INDEX);
    }
    awaitMerges();
  }

  private void measure(String policy, int documents) {
    double cpu = node.cpuMillis(() -> load(policy, documents));
    String stats = node.send("GET", "/" + INDEX + "/_stats/merge,segments?level=indices", "");
    long newest = START_MILLIS + 1000L * (documents - documents / 100);
    search(SEARCHES / 3, newest);
    double searching = node.cpuMillis(() -> search(SEARCHES, newest));
    out.printf(
        Locale.ROOT,
        "%-16s %10d %14.2f %14.1f %20.2f%n",
        policy,
        MeasuredNode.number(stats.substring(stats.indexOf("\"segments\"")), "count"),
        cpu / 1e3,
        MeasuredNode.number(stats, "total_size_in_bytes") / 1e6,
        searching / SEARCHES);
    node.delete(INDEX);
  }

  private static String document(int number) {
    return "{\"@timestamp\":%d,\"host\":\"web-%d\",\"message\":\"request %d served in %d ms by %x\"}"
        .formatted(
            START_MILLIS + 1000L * number,
            number % 50,
            number,
            number * 31 % 997,
            number * 0x9E3779B97F4A7C15L);
  }

  private void awaitMerges() {
    while (MeasuredNode.number(
            node.send("GET", "/" + INDEX + "/_stats/merge?level=indices", ""), "current")
        > 0) {
      Thread.onSpinWait();
    }
  }

  private void search(int times, long newestMillis) {
    for (int i = 0; i < times; i++) {
      node.send(
          "POST",
          "/" + INDEX + "/_search?request_cache=false",
          """
          {"size": 0, "query": {"bool": {"filter": [
             {"range": {"@timestamp": {"gte": %d}}}, {"match": {"message": "served"}}]}},
           "aggs": {"hosts": {"terms": {"field": "host"}}}}
          """
              .formatted(newestMillis + i));
    }
  }
}
