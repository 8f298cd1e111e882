package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The CPU of all pages of a composite aggregation, with and without a sorted index. */
final class CompositePages {
  private static final String INDEX = "composite";
  private static final int DOCUMENTS_OF_A_KEY = 4;
  private static final Pattern AFTER_KEY =
      Pattern.compile("\"after_key\":\\{\"key\":\"([^\"]+)\"\\}");

  private final MeasuredNode node;
  private final PrintStream out;

  CompositePages(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /** Prints a row for each index and size of a page. */
  void measure(int documents) {
    out.printf("%n%-28s %10s %8s %14s%n", "composite over", "page", "pages", "CPU ms a page");
    measure("an unsorted index", "", documents);
    measure("an index sorted by the key", "\"sort.field\": \"key\"", documents);
  }

  private void measure(String title, String settings, int documents) {
    node.create(
        INDEX, settings, "\"key\": {\"type\": \"keyword\"}, \"n\": {\"type\": \"integer\"}");
    int keys = Math.max(1, documents / DOCUMENTS_OF_A_KEY);
    node.load(
        INDEX,
        0,
        documents,
        i -> "{\"key\":\"k%08d\",\"n\":%d}".formatted(Math.floorMod(i * 7919L, keys), i));
    node.forceMerge(INDEX);
    for (int size : new int[] {1000, 10_000}) {
      page(size, "");
      int[] pages = new int[1];
      double cpu =
          node.cpuMillis(() -> {
            for (String after = ""; after != null; pages[0]++) {
              after = page(size, after);
            }
          });
      out.printf(Locale.ROOT, "%-28s %10d %8d %14.1f%n", title, size, pages[0], cpu / pages[0]);
    }
    node.delete(INDEX);
  }

  /** Returns the key after which the next page begins; null after the last one. */
  private @Nullable String page(int size, String after) {
    String body =
        node.send(
            "POST",
            "/" + INDEX + "/_search?request_cache=false",
            """
            {"size": 0, "track_total_hits": false, "aggs": {"all": {"composite": {"size": %d,
             "sources": [{"key": {"terms": {"field": "key"}}}] %s}}}}
            """
                .formatted(
                    size, after.isEmpty() ? "" : ", \"after\": {\"key\": \"" + after + "\"}"));
    Matcher next = AFTER_KEY.matcher(body);
    return next.find() ? next.group(1) : null;
  }
}
