package dev.weir.testkit.demo;

import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One day of a web server's access log: time series with a daily curve, and ids made by the
 * cluster.
 */
record AccessLogIndex(LocalDate day, int requests) implements SampleIndex {
  /** The alias over all days. */
  static final String ALIAS = "access-log";

  private static final int SECONDS_A_DAY = 86_400;
  private static final DateTimeFormatter SUFFIX = DateTimeFormatter.ofPattern("yyyy.MM.dd");
  private static final List<String> PATHS =
      List.of("/", "/search", "/products/lamps", "/products/tents", "/cart", "/checkout", "/login");
  private static final List<String> AGENTS = List.of("Firefox", "Chrome", "Safari", "curl", "bot");
  private static final List<String> COUNTRIES = List.of("DE", "FR", "GB", "IN", "JP", "US", "BR");

  @Override
  public String name() {
    return ALIAS + "-" + SUFFIX.format(day);
  }

  @Override
  public String creation(int replicas) {
    return """
    {
      "settings": {"number_of_shards": 2, "number_of_replicas": %d},
      "aliases": {"%s": {}},
      "mappings": {
        "properties": {
          "@timestamp": {"type": "date"},
          "client": {"properties": {
            "ip": {"type": "ip"}, "country": {"type": "keyword"}, "agent": {"type": "keyword"}}},
          "method": {"type": "keyword"},
          "path": {"type": "keyword"},
          "status": {"type": "short"},
          "bytes": {"type": "long"},
          "duration_ms": {"type": "float"},
          "message": {"type": "text"}
        }
      }
    }
    """
        .formatted(replicas, ALIAS);
  }

  @Override
  public Stream<SampleDocument> documents() {
    RandomGenerator random = new Random(day.toEpochDay());
    return IntStream.range(0, requests)
        .map(i -> secondOfDay(random))
        .sorted()
        .mapToObj(second -> new SampleDocument("", request(second, random)));
  }

  /** Twice as many requests in the afternoon as at night. */
  private static int secondOfDay(RandomGenerator random) {
    while (true) {
      int second = random.nextInt(SECONDS_A_DAY);
      double curve = 0.75 - 0.25 * Math.cos(2 * Math.PI * (second / (double) SECONDS_A_DAY - 0.1));
      if (random.nextDouble() < curve) {
        return second;
      }
    }
  }

  private String request(int second, RandomGenerator random) {
    String path = PATHS.get((int) (PATHS.size() * Math.pow(random.nextDouble(), 1.7)));
    String method = path.equals("/cart") || path.equals("/checkout") ? "POST" : "GET";
    int status = status(random);
    int bytes = status == 200 ? random.nextInt(400, 90_000) : random.nextInt(80, 600);
    String ip =
        "198.51."
            + (100 + random.nextInt(2))
            + "."
            + (1 + (int) (200 * Math.pow(random.nextDouble(), 2)));
    return String.format(
        Locale.ROOT,
        "{\"@timestamp\":\"%s\",\"client\":{\"ip\":\"%s\",\"country\":\"%s\",\"agent\":\"%s\"},"
            + "\"method\":\"%s\",\"path\":\"%s\",\"status\":%d,\"bytes\":%d,\"duration_ms\":%.1f,"
            + "\"message\":\"%s %s %s %d %d\"}",
        day.atTime(LocalTime.ofSecondOfDay(second)).toInstant(ZoneOffset.UTC),
        ip,
        COUNTRIES.get(random.nextInt(COUNTRIES.size())),
        AGENTS.get(random.nextInt(AGENTS.size())),
        method,
        path,
        status,
        bytes,
        Math.exp(random.nextGaussian(3, 0.9)),
        ip,
        method,
        path,
        status,
        bytes);
  }

  private static int status(RandomGenerator random) {
    int draw = random.nextInt(100);
    if (draw < 90) {
      return 200;
    }
    if (draw < 96) {
      return 404;
    }
    return draw < 99 ? 302 : 503;
  }
}
