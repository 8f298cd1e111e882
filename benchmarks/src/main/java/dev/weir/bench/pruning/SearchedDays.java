package dev.weir.bench.pruning;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Random;

/**
 * Indices of one day each, with one shard and one replica.
 *
 * @param count of the days
 * @param documents of a day, in the order of their time
 */
record SearchedDays(int count, int documents) {
  /** All of the indices, as a search names them. */
  static final String PATTERN = "bench-day-*";

  private static final LocalDate FIRST = LocalDate.of(2026, 10, 1);
  private static final int CHUNK = 2000;

  static String index(int day) {
    return PATTERN.replace("*", FIRST.plusDays(day).toString().replace('-', '.'));
  }

  /** Returns the time of a document. */
  Instant time(int day, int number) {
    Instant begin = FIRST.plusDays(day).atStartOfDay().toInstant(ZoneOffset.UTC);
    return begin.plusMillis(Duration.ofDays(1).toMillis() * number / documents);
  }

  /** Returns the body of a search of the last day, which finds all of its documents. */
  String lastDaySearch() {
    return """
    {"size":10,"query":{"range":{"@timestamp":{"gte":"%s"}}},\
    "aggs":{"hours":{"date_histogram":{"field":"@timestamp","fixed_interval":"1h"},\
    "aggs":{"ms":{"avg":{"field":"ms"}}}}}}\
    """
        .formatted(time(count - 1, 0));
  }

  /**
   * Creates and fills the indices. Blocks.
   *
   * @param areBlocked whether all but the last one get a write block
   */
  void load(RestClient rest, boolean areBlocked) {
    Random random = new Random(count);
    for (int day = 0; day < count; day++) {
      String index = "/" + index(day);
      rest.send(
              "PUT",
              index + "?wait_for_active_shards=all",
              """
              {"settings":{"number_of_shards":1,"number_of_replicas":1,"refresh_interval":"-1"},
               "mappings":{"properties":{"@timestamp":{"type":"date"},"ms":{"type":"integer"},
                "host":{"type":"keyword"},"message":{"type":"text"}}}}
              """)
          .orThrow();
      for (int from = 0; from < documents; from += CHUNK) {
        StringBuilder lines = new StringBuilder();
        for (int n = from; n < Math.min(documents, from + CHUNK); n++) {
          lines.append("{\"index\":{}}\n").append(document(day, n, random)).append('\n');
        }
        rest.bulk(
                index + "/_bulk?filter_path=errors",
                lines.toString().getBytes(StandardCharsets.UTF_8))
            .orThrow();
      }
      rest.send("POST", index + "/_forcemerge?max_num_segments=1").orThrow();
      rest.send("POST", index + "/_refresh").orThrow();
      if (areBlocked && day < count - 1) {
        rest.send("PUT", index + "/_block/write").orThrow();
      }
    }
  }

  private String document(int day, int number, Random random) {
    return String.format(
        Locale.ROOT,
        "{\"@timestamp\":\"%s\",\"ms\":%d,\"host\":\"web-%03d.example.org\",\"message\":\"GET"
            + " /items/%d took long after retry %d\"}",
        time(day, number),
        random.nextInt(1000),
        random.nextInt(200),
        random.nextInt(5000),
        random.nextInt(5));
  }
}
