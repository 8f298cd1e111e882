package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.Locale;

/**
 * The CPU of a fetched document beside the order of the hits: neighbours in the order of the index,
 * the same documents in other orders, and documents from anywhere.
 */
final class FetchOrder {
  private static final String INDEX = "fetches";
  private static final int HITS = 1000;
  private static final int SEARCHES = 30;

  private final MeasuredNode node;
  private final PrintStream out;

  FetchOrder(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /** Prints a row for each order. */
  void measure(int documents) {
    node.create(
        INDEX,
        "",
        "\"n\": {\"type\": \"integer\"}, \"shuffled\": {\"type\": \"integer\"},"
            + " \"text\": {\"type\": \"keyword\", \"index\": false, \"doc_values\": false}");
    String text = "a text of some forty words that has nothing new to say ".repeat(8);
    node.load(
        INDEX,
        0,
        documents,
        i ->
            "{\"n\":%d,\"shuffled\":%d,\"text\":\"%s%x\"}"
                .formatted(i, Math.floorMod(i * 7919L, documents), text, i * 0x9E3779B97F4A7C15L));
    node.forceMerge(INDEX);
    out.printf("%n%-34s %18s%n", HITS + " hits fetched", "CPU us a document");
    print("neighbours, in the index's order", "n", "\"n\"");
    print("the same, in the opposite order", "n", "{\"n\": \"desc\"}");
    print("the same, in a random order", "n", "\"shuffled\"");
    print("from anywhere, in a random order", "shuffled", "\"shuffled\"");
    node.delete(INDEX);
  }

  /**
   * Prints the CPU of the fetch: that of searches with the documents less that of the same searches
   * without them.
   *
   * @param window the field by which a thousand documents are chosen
   */
  private void print(String title, String window, String sort) {
    search(SEARCHES, window, sort, true);
    double all = node.cpuMillis(() -> search(SEARCHES, window, sort, true));
    search(SEARCHES, window, sort, false);
    double query = node.cpuMillis(() -> search(SEARCHES, window, sort, false));
    out.printf(
        Locale.ROOT, "%-34s %18.1f%n", title, Math.max(0, all - query) * 1e3 / SEARCHES / HITS);
  }

  private void search(int times, String window, String sort, boolean fetchSource) {
    for (int i = 0; i < times; i++) {
      node.send(
          "POST",
          "/" + INDEX + "/_search?request_cache=false",
          """
          {"size": %d, "track_total_hits": false, "sort": [%s], %s
           "query": {"range": {"%s": {"gte": %d, "lt": %d}}}}
          """
              .formatted(
                  HITS,
                  sort,
                  fetchSource ? "" : "\"_source\": false, \"stored_fields\": \"_none_\",",
                  window,
                  i * HITS / 2,
                  i * HITS / 2 + HITS));
    }
  }
}
