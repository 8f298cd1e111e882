package dev.weir.bench.bulk;

import dev.weir.bench.Workload;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;

/**
 * The body of a bulk of log lines of about 1 KB without ids, as a log shipper sends it. Each line
 * has a unique number, from which it can be generated again.
 */
final class LogLines {
  /** The index mapping of log lines. */
  static final String MAPPING =
      """
      {"properties":{"@timestamp":{"type":"date"},"number":{"type":"long"},\
      "level":{"type":"keyword"},"service":{"type":"keyword"},"host":{"type":"keyword"},\
      "pod":{"type":"keyword"},"client_ip":{"type":"ip"},"method":{"type":"keyword"},\
      "path":{"type":"keyword"},"status":{"type":"short"},"bytes":{"type":"integer"},\
      "duration_ms":{"type":"float"},"trace_id":{"type":"keyword"},\
      "user_agent":{"type":"keyword"},"message":{"type":"text"}}}\
      """;

  /** The first number on the wire, so that all numbers have the same number of digits. */
  private static final long FIRST_NUMBER = 1_000_000_000;

  private static final int DIGITS = 10;
  private static final int BYTES = 1000;
  private static final String ACTION = "{\"index\":{}}\n";
  private static final String NUMBER = "\"number\":";
  private static final String[] LEVELS = {"DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR"};
  private static final String[] METHODS = {"GET", "GET", "GET", "POST", "PUT", "DELETE"};
  private static final String[] SERVICES = {
    "cart", "checkout", "payment", "search", "catalogue", "profile", "shipping", "gateway"
  };
  private static final String[] WORDS = {
    "request",
    "completed",
    "after",
    "retry",
    "upstream",
    "timeout",
    "cache",
    "miss",
    "hit",
    "connection",
    "pool",
    "waiting",
    "for",
    "lock",
    "on",
    "order",
    "customer",
    "session",
    "token",
    "expired",
    "refreshed",
    "query",
    "took",
    "longer",
    "than",
    "expected",
    "queue",
    "depth"
  };
  private static final String AGENT =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0"
          + " Safari/537.36";

  private final byte[] content;
  private final int[] numberAt;
  private final int[] end;

  /** Generates the lines of one bulk, numbered from 0. */
  LogLines(Random random, int documents) {
    StringBuilder all = new StringBuilder(documents * (BYTES + ACTION.length() + 64));
    numberAt = new int[documents];
    end = new int[documents];
    for (int i = 0; i < documents; i++) {
      all.append(ACTION);
      int begin = all.length();
      line(random, i, all);
      numberAt[i] = all.indexOf(NUMBER, begin) + NUMBER.length();
      end[i] = all.length();
      all.append('\n');
    }
    content = all.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static void line(Random random, int number, StringBuilder out) {
    String service = pick(random, SERVICES);
    byte[] trace = new byte[16];
    random.nextBytes(trace);
    int begin = out.length();
    out.append(
        "{\"@timestamp\":\"2026-01-%02dT%02d:%02d:%02d.%03dZ\","
            .formatted(
                1 + random.nextInt(28),
                random.nextInt(24),
                random.nextInt(60),
                random.nextInt(60),
                random.nextInt(1000)));
    out.append(NUMBER).append(FIRST_NUMBER + number);
    text(out, "level", pick(random, LEVELS));
    text(out, "service", service);
    text(out, "host", service + "-" + random.nextInt(40) + ".eu-west-1.example.net");
    text(out, "pod", service + "-7c9f6d-" + Integer.toString(random.nextInt(200), 36));
    text(out, "client_ip", "10." + random.nextInt(8) + "." + random.nextInt(256) + ".17");
    text(out, "method", pick(random, METHODS));
    text(out, "path", "/api/v2/" + service + "/items/" + random.nextInt(5000));
    out.append(",\"status\":").append(random.nextInt(20) == 0 ? 503 : 200);
    out.append(",\"bytes\":").append(random.nextInt(100_000));
    out.append(",\"duration_ms\":").append((20 + random.nextInt(500)) / 10.0);
    text(out, "trace_id", HexFormat.of().formatHex(trace));
    text(out, "user_agent", AGENT.formatted(100 + random.nextInt(40)));
    out.append(",\"message\":\"");
    while (out.length() - begin < BYTES) {
      out.append(pick(random, WORDS)).append(' ');
      if (random.nextInt(6) == 0) {
        out.append("id=").append(random.nextInt(1_000_000)).append(' ');
      }
    }
    out.append("\"}");
  }

  private static void text(StringBuilder out, String key, String value) {
    out.append(",\"").append(key).append("\":\"").append(value).append('"');
  }

  private static String pick(Random random, String[] from) {
    return from[random.nextInt(from.length)];
  }

  /** Returns the number of lines. */
  int size() {
    return end.length;
  }

  /** Returns a bulk request into an index as sent on the wire, with the lines' own numbers. */
  byte[] request(String index) {
    return Workload.post("/" + index + "/_bulk", content);
  }

  /** Returns a bulk request with other numbers, which start at {@code first}. */
  byte[] request(String index, long first) {
    byte[] request = request(index);
    int head = request.length - content.length;
    for (int i = 0; i < numberAt.length; i++) {
      write(FIRST_NUMBER + first + i, request, head + numberAt[i]);
    }
    return request;
  }

  private static void write(long number, byte[] to, int at) {
    long left = number;
    for (int digit = DIGITS - 1; digit >= 0; digit--) {
      to[at + digit] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  /** Returns one line as a document with a number. */
  String document(int line, long number) {
    int at = numberAt[line];
    int begin = line == 0 ? ACTION.length() : end[line - 1] + 1 + ACTION.length();
    byte[] copy = new byte[end[line] - begin];
    System.arraycopy(content, begin, copy, 0, copy.length);
    write(FIRST_NUMBER + number, copy, at - begin);
    return new String(copy, StandardCharsets.US_ASCII);
  }

  /** Returns a line's number from the value in its document. */
  static long parseNumber(long stored) {
    return stored - FIRST_NUMBER;
  }
}
