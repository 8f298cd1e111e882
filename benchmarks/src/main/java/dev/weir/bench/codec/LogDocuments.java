package dev.weir.bench.codec;

import java.time.Instant;
import java.util.Locale;
import java.util.SplittableRandom;

/** Log lines of a fleet of services: one format, and about 130 bits an entry that no other has. */
final class LogDocuments {
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
  private static final String[] SERVICES = {
    "search",
    "cart",
    "checkout",
    "images",
    "login",
    "catalogue",
    "payment",
    "profile",
    "shipping",
    "mail",
    "stock",
    "reports"
  };
  private static final String[] METHODS = {"GET", "POST", "PUT", "DELETE"};
  private static final String[] SYSTEMS = {
    "Windows NT 10.0; Win64; x64",
    "Macintosh; Intel Mac OS X 10_15_7",
    "X11; Linux x86_64",
    "iPhone; CPU iPhone OS 17_4 like Mac OS X",
    "Linux; Android 14; SM-S918B"
  };
  private static final int[] STATUS = {200, 200, 200, 304, 201, 404, 204, 301, 500, 503, 429, 400};

  private LogDocuments() {}

  static String document(SplittableRandom random, int number) {
    String service = RandomText.pick(random, SERVICES);
    int status = STATUS[RandomText.rank(random, STATUS.length)];
    double duration = Math.exp(3 + 1.3 * random.nextGaussian());
    // The shape of the line's own text belongs to the service and one of its places in the code.
    int place = RandomText.rank(random, 30);
    return String.format(
        Locale.ROOT,
        "{\"@timestamp\":\"%s\",\"level\":\"%s\",\"service\":\"%s\",\"host\":\"%s-%s.eu-west-%d.example.net\","
            + "\"trace\":\"%s\",\"client\":\"%d.%d.%d.%d\",\"method\":\"%s\",\"path\":\"%s\",\"status\":%d,\"bytes\":%d,\"duration_ms\":%.2f,\"agent\":\"Mozilla/5.0"
            + " (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.%d.%d Safari/537.36\","
            + "\"message\":\"%s\"}",
        START.plusMillis(number * 37L + random.nextInt(37)),
        status >= 500
            ? "ERROR"
            : status >= 400 ? "WARN" : random.nextInt(4) == 0 ? "DEBUG" : "INFO",
        service,
        service,
        Integer.toString(7919 * (1 + random.nextInt(40)), 36),
        1 + random.nextInt(3),
        RandomText.hex(random, 32),
        11 + RandomText.rank(random, 200),
        random.nextInt(256),
        random.nextInt(256),
        random.nextInt(256),
        RandomText.pick(random, METHODS),
        path(random, service),
        status,
        200 + (long) (duration * random.nextInt(1, 400)),
        duration,
        SYSTEMS[RandomText.rank(random, SYSTEMS.length)],
        118 + RandomText.rank(random, 12),
        6000 + RandomText.rank(random, 400),
        RandomText.rank(random, 200),
        message(random, new SplittableRandom(service.hashCode() * 31L + place)));
  }

  private static String path(SplittableRandom random, String service) {
    return switch (random.nextInt(3)) {
      case 0 -> "/api/v2/" + service + "/" + RandomText.rank(random, 100_000);
      case 1 ->
          "/"
              + service
              + "?q="
              + RandomText.word(random)
              + "&page="
              + (1 + RandomText.rank(random, 20));
      default ->
          "/static/"
              + RandomText.word(random)
              + "."
              + RandomText.hex(new SplittableRandom(RandomText.rank(random, 500)), 8)
              + ".js";
    };
  }

  /** A text of the place's words with the request's own values between them. */
  private static String message(SplittableRandom random, SplittableRandom place) {
    StringBuilder text = new StringBuilder();
    int parts = 2 + place.nextInt(4);
    for (int i = 0; i < parts; i++) {
      text.append(RandomText.words(place, 2 + place.nextInt(4)).replace('.', ' ').strip())
          .append(' ');
      switch (place.nextInt(5)) {
        case 0 -> text.append("order=").append(10_000_000 + random.nextInt(80_000_000));
        case 1 -> text.append("user=").append(RandomText.rank(random, 400_000));
        case 2 -> text.append("after ").append(random.nextInt(5000)).append(" ms");
        case 3 ->
            text.append("key=")
                .append(RandomText.word(random))
                .append(':')
                .append(RandomText.hex(random, 8));
        default -> text.append("attempt ").append(1 + RandomText.rank(random, 5));
      }
      text.append(i == parts - 1 ? "" : ", ");
    }
    return text.toString();
  }
}
