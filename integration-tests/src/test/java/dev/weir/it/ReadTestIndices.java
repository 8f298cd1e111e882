package dev.weir.it;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Indices for reads: one with three shards, one with one shard, and one without document sources.
 * They have no replicas, so that every response comes from the same copy.
 */
final class ReadTestIndices {
  /** An index with three shards. */
  static final String WIDE = "read-wide";

  /** An index with one shard. */
  static final String NARROW = "read-narrow";

  /** An index whose mapping disables the source. */
  static final String SOURCELESS = "read-sourceless";

  private static final Pattern TOOK = Pattern.compile("\"took\":\\d+");
  private static final int DOCUMENTS = 30;

  private static final String MAPPING =
      """
      {"settings": {"number_of_shards": %d, "number_of_replicas": 0},
       "mappings": {%s"properties": {
         "n": {"type": "integer", "store": true}, "title": {"type": "text"},
         "word": {"type": "keyword", "ignore_above": 9}, "hint": {"type": "completion"},
         "parts": {"type": "nested", "properties": {"p": {"type": "integer"}}}}}}
      """;

  private ReadTestIndices() {}

  static void create(RestClient rest) {
    delete(rest);
    rest.send("PUT", "/" + WIDE, MAPPING.formatted(3, "")).orThrow();
    rest.send("PUT", "/" + NARROW, MAPPING.formatted(1, "")).orThrow();
    rest.send("PUT", "/" + SOURCELESS, MAPPING.formatted(2, "\"_source\": {\"enabled\": false}, "))
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (String index : List.of(WIDE, NARROW, SOURCELESS)) {
      for (int n = 0; n < DOCUMENTS; n++) {
        lines.append(
            "{\"index\":{\"_index\":\"%s\",\"_id\":\"d%d\"%s}}\n"
                .formatted(index, n, n % 4 == 0 ? ",\"routing\":\"r" + n + "\"" : ""));
        lines.append(document(n)).append('\n');
      }
    }
    rest.bulk("/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8)).orThrow();
  }

  /** Formats JSON compactly, as filtered responses are. */
  private static String document(int n) {
    return ("{\"n\":%d,\"title\":\"the %s title\",\"none\":null,\"word\":\"%s\",\"hint\":\"hint"
            + " %d\",\"o\":{\"a\":null,\"b\":[null,{\"c\":null}],\"_source\":%d},"
            + "\"parts\":[{\"p\":%d},{\"p\":%d}]}")
        .formatted(
            n,
            n % 2 == 0 ? "even" : "odd",
            n % 5 == 0 ? "too-long-to-index" : "word" + n % 3,
            n,
            n,
            n,
            n + 1);
  }

  static void delete(RestClient rest) {
    rest.send("DELETE", "/" + WIDE + "," + NARROW + "," + SOURCELESS + "?ignore_unavailable=true");
  }

  /** Removes the time that a response took. */
  static String maskVolatileValues(String body) {
    return TOOK.matcher(body).replaceAll("\"took\":1");
  }
}
