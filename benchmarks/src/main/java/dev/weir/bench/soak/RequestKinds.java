package dev.weir.bench.soak;

import dev.weir.bench.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;

/** The kinds of requests of the load, in the shares of a cluster that mostly serves searches. */
final class RequestKinds {
  /** A search that lost a shard, or a bulk that lost a document, also has status 200. */
  private static final String NO_FAILED_SHARD = "\"failed\":0";

  private static final String NO_FAILED_DOCUMENT = "\"errors\":false";
  private static final List<String> FORMATS = List.of("ndjson", "csv", "arrow");
  private static final List<String> COLUMNS = List.of("json", "csv", "arrow");
  private static final int EXPORTED_ROWS = 5000;
  private static final int BULKS = 32;
  private static final int SMALLEST_BULK = 100;
  private static final int LARGEST_BULK = 1000;

  private RequestKinds() {}

  /**
   * Returns the kinds, whose shares are a hundred together.
   *
   * @param documents how many documents bulks write: they replace these for ever
   */
  static List<RequestKind> all(int documents) {
    List<byte[]> bulks = bulks(documents);
    return List.of(
        kind("search 10", 46, NO_FAILED_SHARD, Workload.search(10)),
        kind("search 1000", 8, NO_FAILED_SHARD, Workload.search(1000)),
        kind("terms", 14, NO_FAILED_SHARD, Workload.terms()),
        kind("date histogram", 14, NO_FAILED_SHARD, Workload.dateHistogram()),
        new RequestKind(
            "bulk", 8, false, NO_FAILED_DOCUMENT, n -> bulks.get((int) (n % bulks.size()))),
        kind("columnar", 8, "", columnar()),
        new RequestKind("export", 2, true, "", RequestKinds::export));
  }

  private static RequestKind kind(String name, int share, String success, Workload workload) {
    return new RequestKind(name, share, false, success, workload.request());
  }

  private static Workload columnar() {
    List<LongFunction<byte[]>> formats =
        COLUMNS.stream()
            .map(format -> Workload.search(1000, "?columnar=" + format).request())
            .toList();
    return new Workload("columnar", n -> formats.get((int) (n % formats.size())).apply(n));
  }

  /** Every fourth export has all rows. Each has a connection, as a client of exports does it. */
  private static byte[] export(long n) {
    String size = n % 4 == 0 ? "" : "&size=" + EXPORTED_ROWS;
    String format = FORMATS.get((int) (n % FORMATS.size()));
    return Workload.request(
        "POST", "/" + Workload.SEARCH_INDEX + "/_weir/export?format=" + format + size, "");
  }

  /**
   * Returns bulks of different sizes. Their documents have ids, so that each bulk replaces the
   * documents of an earlier one and the index keeps its size.
   */
  private static List<byte[]> bulks(int documents) {
    Random random = new Random(1);
    List<byte[]> bulks = new ArrayList<>();
    for (int i = 0; i < BULKS; i++) {
      int size = SMALLEST_BULK + (LARGEST_BULK - SMALLEST_BULK) * i / (BULKS - 1);
      int first = random.nextInt(documents);
      StringBuilder body = new StringBuilder();
      for (int id = first; id < first + size; id++) {
        body.append("{\"index\":{\"_id\":\"")
            .append(id % documents)
            .append("\"}}\n")
            .append(Workload.generateDocument(random, id % documents))
            .append('\n');
      }
      bulks.add(Workload.request("POST", "/" + Workload.WRITE_INDEX + "/_bulk", body.toString()));
    }
    return bulks;
  }
}
