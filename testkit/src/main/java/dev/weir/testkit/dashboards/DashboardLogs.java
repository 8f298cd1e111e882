package dev.weir.testkit.dashboards;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Log lines of a web shop in indices of a day each, such as {@code logs-2026.03.31}, without
 * replicas, so that every answer comes from the same copies. The lines depend on the sizes alone.
 *
 * @param prefix of the names of the indices
 * @param days number of indices; the last ends at {@link #END}
 * @param shards of each index
 * @param recentDays days with the full number of lines
 * @param recentLines lines of each of these days
 * @param olderLines lines of each day before
 */
public record DashboardLogs(
    String prefix, int days, int shards, int recentDays, int recentLines, int olderLines) {
  /** The end of the newest day. */
  public static final Instant END = Instant.parse("2026-04-01T00:00:00Z");

  private static final Duration DAY = Duration.ofDays(1);
  private static final int LINES_OF_A_BULK = 5000;
  private static final DateTimeFormatter SUFFIX =
      DateTimeFormatter.ofPattern("yyyy.MM.dd", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final String INDEX =
      """
      {"settings": {"number_of_shards": %d, "number_of_replicas": 0, "refresh_interval": "-1"},
       "mappings": {"properties": {
         "@timestamp": {"type": "date"}, "level": {"type": "keyword"}, "service": {"type": "keyword"},
         "host": {"type": "keyword"}, "method": {"type": "keyword"}, "code": {"type": "integer"},
         "path": {"type": "keyword"}, "country": {"type": "keyword"}, "client": {"type": "ip"},
         "user": {"type": "keyword"}, "duration_ms": {"type": "double"}, "bytes": {"type": "long"},
         "queue": {"type": "integer"}, "tags": {"type": "keyword"}, "location": {"type": "geo_point"},
         "message": {"type": "text"}}}}
      """;

  private static final List<String> METHODS = List.of("GET", "GET", "GET", "POST", "PUT");
  private static final List<String> COUNTRIES =
      List.of("DE", "FR", "US", "US", "US", "BR", "IN", "IN", "JP", "PL", "ES", "IT", "GB", "GB");
  private static final List<String> SERVICES =
      List.of("checkout", "cart", "search", "search", "search", "login", "images", "images");
  private static final List<Integer> CODES =
      List.of(200, 200, 200, 200, 200, 200, 201, 204, 301, 304, 400, 403, 404, 404, 500, 502, 503);
  private static final List<String> MESSAGES =
      List.of(
          "request served",
          "connection refused by upstream",
          "timeout while reading",
          "cache miss");

  /** Returns the pattern that matches all indices. */
  public String pattern() {
    return prefix + "*";
  }

  /** Returns the number of all lines. */
  public int lines() {
    return recentDays * recentLines + (days - recentDays) * olderLines;
  }

  /** Returns the indices of a range, as far as they are there, oldest first. */
  List<String> indices(DashboardRange range) {
    int wanted = (int) Math.max(1, range.length().toDays());
    return IntStream.range(Math.max(0, days - wanted), days).mapToObj(this::index).toList();
  }

  private String index(int day) {
    return prefix + SUFFIX.format(start(day));
  }

  private Instant start(int day) {
    return END.minus(DAY.multipliedBy(days - day));
  }

  /** Creates the indices on a node, writes all lines, and merges each shard into one segment. */
  public void load(RestClient node) {
    IntStream.range(0, days).forEach(day -> load(node, day));
    node.send("POST", "/" + pattern() + "/_forcemerge?max_num_segments=1").orThrow();
    node.send("POST", "/" + pattern() + "/_refresh").orThrow();
  }

  /** Deletes the indices. */
  public void delete(RestClient node) {
    node.send("DELETE", "/" + pattern() + "?ignore_unavailable=true");
  }

  private void load(RestClient node, int day) {
    String index = index(day);
    node.send("PUT", "/" + index, INDEX.formatted(shards)).orThrow();
    SplittableRandom random = new SplittableRandom(day);
    int lines = day >= days - recentDays ? recentLines : olderLines;
    for (int from = 0; from < lines; from += LINES_OF_A_BULK) {
      StringBuilder bulk = new StringBuilder();
      for (int i = from; i < Math.min(lines, from + LINES_OF_A_BULK); i++) {
        bulk.append("{\"index\":{\"_id\":\"").append(day).append('-').append(i).append("\"}}\n");
        append(bulk, start(day), random);
      }
      byte[] body = bulk.toString().getBytes(StandardCharsets.UTF_8);
      node.bulk("/" + index + "/_bulk?filter_path=errors", body).orThrow();
    }
  }

  private static void append(StringBuilder bulk, Instant start, SplittableRandom random) {
    int code = pick(CODES, random);
    double duration = Math.exp(3.5 + 1.2 * random.nextGaussian());
    bulk.append("{\"@timestamp\":\"")
        .append(start.plusMillis(random.nextLong(DAY.toMillis())))
        .append("\",\"level\":\"")
        .append(level(code, random))
        .append("\",\"service\":\"")
        .append(pick(SERVICES, random))
        .append("\",\"host\":\"host-")
        .append(random.nextInt(40))
        .append("\",\"method\":\"")
        .append(pick(METHODS, random))
        .append("\",\"code\":")
        .append(code)
        .append(",\"path\":\"")
        .append(random.nextInt(20) == 0 ? "/health" : "/products/" + random.nextInt(200))
        .append("\",\"country\":\"")
        .append(pick(COUNTRIES, random))
        .append("\",\"client\":\"10.")
        .append(random.nextInt(256))
        .append('.')
        .append(random.nextInt(4))
        .append(".1\",\"user\":\"user-")
        .append(random.nextInt(20_000))
        .append("\",\"duration_ms\":")
        .append(Math.round(duration * 100) / 100.0)
        .append(",\"bytes\":")
        .append(200 + (long) (duration * random.nextInt(1, 200)))
        .append(",\"queue\":")
        .append(random.nextInt(50))
        .append(",\"location\":\"")
        .append(random.nextInt(-60, 61))
        .append(',')
        .append(random.nextInt(-170, 171))
        .append('"');
    if (random.nextInt(3) > 0) {
      bulk.append(",\"tags\":[\"tag-")
          .append(random.nextInt(100))
          .append("\",\"tag-")
          .append(random.nextInt(100))
          .append("\"]");
    }
    bulk.append(",\"message\":\"").append(pick(MESSAGES, random)).append("\"}\n");
  }

  private static String level(int code, SplittableRandom random) {
    return switch (code / 100) {
      case 5 -> random.nextInt(50) == 0 ? "fatal" : "error";
      case 4 -> "warn";
      default -> random.nextBoolean() ? "info" : "debug";
    };
  }

  private static <T> T pick(List<T> values, SplittableRandom random) {
    return values.get(random.nextInt(values.size()));
  }
}
