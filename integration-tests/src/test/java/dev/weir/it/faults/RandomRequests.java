package dev.weir.it.faults;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Random requests of a client: searches, scrolls and points in time with their follow-ups,
 * documents, writes, invalid and oversized requests. Confined to its client.
 */
final class RandomRequests {
  /** The number of documents that are never deleted; their ids and {@code n} count from 0. */
  static final int DOCUMENTS = 150;

  /** This many documents exceed the request memory of {@link FaultyClientLoad#POLICY}. */
  private static final int DOCUMENT_BYTES = 20_000;

  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";

  /** Takes some ten milliseconds. */
  private static final String SLOW =
      "{\"query\":{\"script\":{\"script\":{\"source\":\"double s = doc['n'].value;"
          + " for (int i = 0; i < 3000; i++) { s = Math.sin(s + i) } return s < 1e300\"}}},"
          + "\"size\":2,\"_source\":[\"n\"]}";

  private static final String AGGREGATIONS =
      "{\"size\":0,\"aggs\":{\"by\":{\"terms\":{\"field\":\"n\",\"size\":200},"
          + "\"aggs\":{\"most\":{\"max\":{\"field\":\"n\"}}}}}}";

  private static final List<Ask> NONSENSE =
      List.of(
          new Ask("POST", "/%s/_search", JSON, "{\"query\":", true),
          new Ask("POST", "/%s/_search", JSON, "{\"query\":{\"nonsense\":{}}}", true),
          new Ask("POST", "/%s/_search?size=many", JSON, "{}", true),
          new Ask("POST", "/%s/_msearch", LINES, "{}\n{\"query\":\n", true),
          new Ask("POST", "/%s/_bulk", LINES, "{\"index\":{}}", true),
          new Ask("PUT", "/%s/_doc/nonsense", JSON, "{\"n\":\"no number\"}", true));

  private final String index;
  private final RandomGenerator random;
  private String scroll = "";
  private String pit = "";

  /**
   * A request.
   *
   * @param invalid whether it must be rejected with 400
   */
  record Ask(String method, String target, String type, String body, boolean invalid) {}

  RandomRequests(String index, RandomGenerator random) {
    this.index = index;
    this.random = random;
  }

  /** Returns a bulk of the permanent documents. */
  static String documents() {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < DOCUMENTS; n++) {
      lines.append("{\"index\":{\"_id\":\"").append(n).append("\"}}\n");
      lines.append(document(n)).append('\n');
    }
    return lines.toString();
  }

  private static String document(int n) {
    return "{\"n\":" + n + ",\"text\":\"" + "t".repeat(DOCUMENT_BYTES) + "\"}";
  }

  /** What it asks for next. */
  Ask next() {
    return switch (random.nextInt(21)) {
      case 0, 1 -> ask("POST", "/_search", "{\"size\":3,\"sort\":[\"n\"],\"_source\":[\"n\"]}");
      case 2, 3 -> ask("POST", "/_search?request_cache=false", AGGREGATIONS);
      case 4, 5, 6 -> ask("POST", "/_search", SLOW);
      case 7 -> page();
      case 8 -> ask("POST", "/_search?size=" + DOCUMENTS, "{\"sort\":[\"n\"]}");
      case 9 -> lines("/_msearch", ("{}\n{\"size\":1}\n{}\n" + SLOW + "\n").repeat(2));
      case 10 -> ask("GET", "/_count", "");
      case 11 -> ask("GET", "/_doc/" + document(), "");
      case 12 -> ask("POST", "/_mget", "{\"ids\":[\"" + document() + "\",\"" + document() + "\"]}");
      case 13 -> lines("/_bulk", writes(1 + random.nextInt(20)));
      case 14 -> lines("/_bulk", newDocument().repeat(random.nextBoolean() ? 2 : DOCUMENTS));
      case 15 -> ask("PUT", "/_doc/more-" + random.nextInt(50), "{\"n\":" + more() + "}");
      case 16 -> ask("POST", "/_update/" + document(), "{\"doc\":{\"v\":" + more() + "}}");
      case 17 -> scroll();
      case 18 -> pointInTime();
      case 19 -> ask("GET", "/_settings", ""); // passes through to a node
      default -> nonsense();
    };
  }

  /** A search with an answer of 800 KB. */
  Ask page() {
    return ask("POST", "/_search?size=40", "{\"sort\":[\"n\"]}");
  }

  private Ask ask(String method, String target, String body) {
    return new Ask(method, "/" + index + target, JSON, body, false);
  }

  private Ask lines(String target, String body) {
    return new Ask("POST", "/" + index + target, LINES, body, false);
  }

  private int document() {
    return random.nextInt(DOCUMENTS);
  }

  /** A number that none of the documents has that must be there. */
  private int more() {
    return random.nextInt(1000, 1_000_000);
  }

  private String writes(int items) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < items; i++) {
      if (random.nextBoolean()) {
        lines.append("{\"update\":{\"_id\":\"").append(document()).append("\"}}\n");
        lines.append("{\"doc\":{\"v\":").append(more()).append("}}\n");
      } else {
        lines.append("{\"index\":{\"_id\":\"more-").append(random.nextInt(50)).append("\"}}\n");
        lines.append("{\"n\":").append(more()).append("}\n");
      }
    }
    return lines.toString();
  }

  private static String newDocument() {
    return "{\"create\":{}}\n" + document(1_000_000) + "\n";
  }

  private Ask scroll() {
    if (scroll.isEmpty()) {
      return ask("POST", "/_search?scroll=5s&size=5", "{\"_source\":[\"n\"]}");
    }
    boolean over = random.nextInt(3) == 0;
    String body = "{\"scroll_id\":\"" + scroll + "\"" + (over ? "}" : ",\"scroll\":\"5s\"}");
    scroll = "";
    return new Ask(over ? "DELETE" : "POST", "/_search/scroll", JSON, body, false);
  }

  private Ask pointInTime() {
    if (pit.isEmpty()) {
      return ask("POST", "/_search/point_in_time?keep_alive=5s", "");
    }
    if (random.nextInt(3) > 0) {
      String body = "{\"size\":2,\"_source\":[\"n\"],\"pit\":{\"id\":\"" + pit + "\"}}";
      return new Ask("POST", "/_search", JSON, body, false);
    }
    String body = "{\"pit_id\":[\"" + pit + "\"]}";
    pit = "";
    return new Ask("DELETE", "/_search/point_in_time", JSON, body, false);
  }

  private Ask nonsense() {
    Ask some = NONSENSE.get(random.nextInt(NONSENSE.size()));
    return new Ask(some.method(), some.target().formatted(index), some.type(), some.body(), true);
  }

  /** Remembers of an answer what it can go on with. */
  void onResponse(JsonResponse answer) {
    if (answer.at("_scroll_id") instanceof String id) {
      scroll = id;
    }
    if (answer.at("pit_id") instanceof String id) {
      pit = id;
    }
  }
}
