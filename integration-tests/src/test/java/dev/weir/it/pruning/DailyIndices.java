package dev.weir.it.pruning;

import dev.weir.it.TestBed;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Indices of a day each, without replicas, so that every answer is the same on any copy of a shard:
 * day 0 is 2026-01-01.
 */
final class DailyIndices {
  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final long TIMEOUT_NANOS = Duration.ofMinutes(3).toNanos();
  private static final Pattern TOOK = Pattern.compile("\"took\":\\d+");
  private static final Pattern SKIPPED = Pattern.compile("\"skipped\":(\\d+)");
  private static final Pattern KNOWN = Pattern.compile("\"known_indices\"\\s*:\\s*(\\d+)");

  private static final Pattern GUESSED = Pattern.compile("\"unconfirmed_indices\"\\s*:\\s*(\\d+)");
  private static final Pattern COPIES = Pattern.compile("\"known_copies\"\\s*:\\s*(\\d+)");
  private static final Pattern WRITABLE =
      Pattern.compile("\"skipped_writable_shards\"\\s*:\\s*(\\d+)");
  private static final Pattern PRUNED =
      Pattern.compile(
          "\"time_pruning\"\\s*:\\s*\\{\\s*\"searches\"\\s*:\\s*\\{\\s*\"pruned\"\\s*:\\s*(\\d+)");

  /** A cause without a class of its own on the wire: not for a node's own shards. */
  private static final Pattern UNKNOWN_CLASS =
      Pattern.compile("(\"type\":\"(\\w+)\",\"reason\":\")\\2: ");

  private static final String MAPPING =
      """
      {"settings": {"number_of_shards": %d, "number_of_replicas": 0, "refresh_interval": "1h"},
       "mappings": {"properties": {
         "@timestamp": {"type": "date"%s}, "other": {"type": "date"}, "n": {"type": "integer"},
         "title": {"type": "text"}, "word": {"type": "keyword"},
         "hint": {"type": "completion"},
         "parts": {"type": "nested", "properties": {"@timestamp": {"type": "date"}}}}}}
      """;

  private final RestClient rest;
  private final String prefix;

  DailyIndices(RestClient rest, String prefix) {
    this.rest = rest;
    this.prefix = prefix;
  }

  String index(int day) {
    return prefix + "%02d".formatted(day);
  }

  static Instant at(int day, Duration time) {
    return FIRST.plus(DAY.multipliedBy(day)).plus(time);
  }

  /** Creates an index of a day with documents at random times of that day. */
  void create(int day, int shards, int documents, RandomGenerator random) {
    String format = day % 3 == 0 ? ", \"format\": \"date_time||epoch_millis\"" : "";
    rest.send("PUT", "/" + index(day), MAPPING.formatted(shards, format)).orThrow();
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < documents; n++) {
      lines.append("{\"index\":{\"_id\":\"").append(day).append('-').append(n).append("\"}}\n");
      lines.append(document(day, n, random)).append('\n');
    }
    rest.bulk("/" + index(day) + "/_bulk", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  private static String document(int day, int n, RandomGenerator random) {
    Instant time = at(day, Duration.ofMillis(random.nextLong(DAY.toMillis())));
    Instant later = time.plus(Duration.ofMillis(random.nextLong(DAY.toMillis())));
    String times =
        switch (random.nextInt(8)) {
          case 0 -> ""; // none at all
          case 1 -> "\"@timestamp\":[\"" + time + "\",\"" + later + "\"],";
          default -> "\"@timestamp\":\"" + time + "\",";
        };
    return ("{%s\"other\":\"%s\",\"n\":%d,\"title\":\"the %s title\",\"word\":\"word%d\","
            + "\"hint\":\"hint %d\",\"parts\":[{\"@timestamp\":\"%s\"}]}")
        .formatted(
            times,
            later,
            day * 1000 + n,
            random.nextBoolean() ? "odd" : "even",
            random.nextInt(5),
            n,
            at(day + 40, Duration.ZERO));
  }

  /** Adds a write block to an index. */
  void blockWrites(int day) {
    rest.send("PUT", "/" + index(day) + "/_settings", "{\"index.blocks.write\":true}").orThrow();
  }

  void delete() {
    rest.send("DELETE", "/" + prefix + "*?ignore_unavailable=true");
  }

  /** Waits until the gateway knows the bounds of this many indices. */
  static void awaitKnown(TestBed bed, LongPredicate enough) {
    await(bed, KNOWN, enough);
  }

  /** Waits until the gateway has guesses for this many indices. */
  static void awaitGuessed(TestBed bed, LongPredicate enough) {
    await(bed, GUESSED, enough);
  }

  /** Waits until the gateway knows the bounds of this many copies of writable indices. */
  static void awaitCopies(TestBed bed, LongPredicate enough) {
    await(bed, COPIES, enough);
  }

  /** Returns the number of shards of writable indices that searches left out. */
  static long skippedWritableShards(TestBed bed) {
    return number(WRITABLE, bed.admin().send("GET", "/stats").orThrow().body());
  }

  private static void await(TestBed bed, Pattern count, LongPredicate enough) {
    long end = System.nanoTime() + TIMEOUT_NANOS;
    while (!enough.test(number(count, bed.admin().send("GET", "/stats").orThrow().body()))) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            "got " + bed.admin().send("GET", "/stats").body() + " (expected: indices learned)");
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Returns the number of searches that left shards out. */
  static long prunedSearches(TestBed bed) {
    return number(PRUNED, bed.admin().send("GET", "/stats").orThrow().body());
  }

  /** Returns the number of skipped shards in a response. */
  static long skippedShards(RestReply reply) {
    return number(SKIPPED, reply.body());
  }

  private static long number(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw new AssertionError("got " + text + " (expected: " + pattern + ")");
    }
    return Long.parseLong(found.group(1));
  }

  /**
   * Removes the time and the number of skipped shards from a response, and the names of classes
   * before reasons: a node that is asked adds them only to failures of other nodes' shards.
   */
  static String maskVolatileValues(RestReply reply) {
    String body = TOOK.matcher(reply.body()).replaceAll("\"took\":1");
    body = UNKNOWN_CLASS.matcher(body).replaceAll("$1");
    return reply.status() + SKIPPED.matcher(body).replaceAll("\"skipped\":0");
  }
}
