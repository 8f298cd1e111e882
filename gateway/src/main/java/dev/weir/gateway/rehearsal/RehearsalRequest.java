package dev.weir.gateway.rehearsal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * One request of the rehearsal. The gateway sends its name to the nodes as {@code X-Opaque-Id},
 * which identifies the responses in a recording.
 *
 * @param name unique
 * @param status the status of the response
 * @param repetitions how often the rehearsal sends it; for the common kinds more than the 5000
 *     calls after which the compiler fully optimizes a method
 */
public record RehearsalRequest(
    String name, String method, String path, String body, int status, int repetitions) {
  /** The index of the requests: three shards, no replicas. */
  public static final String INDEX = "rehearsal";

  private static final int DOCUMENTS = 1000;
  private static final int WRITTEN_AT_ONCE = 500;
  private static final int GROUPS = 100;
  private static final int WORDS = 10;
  private static final long SEED = 1;

  /** The mapping and settings of the index. */
  public static final String INDEX_BODY =
      """
      {"settings":{"number_of_shards":3,"number_of_replicas":0},
       "mappings":{"properties":{"number":{"type":"long"},"group":{"type":"keyword"},
         "at":{"type":"date"},"text":{"type":"text"}}}}
      """;

  /** A bulk with all documents that the index must have before the recording. */
  public static String bulkBody() {
    return bulk(DOCUMENTS);
  }

  /** All requests, in the order in which they are recorded. */
  public static List<RehearsalRequest> allRequests() {
    String search = "/" + INDEX + "/_search";
    return List.of(
        new RehearsalRequest("page", "POST", search, PAGE, 200, 12_000),
        new RehearsalRequest("pages", "POST", search, PAGES, 200, 300),
        new RehearsalRequest("sorted", "POST", search, SORTED, 200, 1000),
        new RehearsalRequest("highlighted", "POST", search, HIGHLIGHTED, 200, 1200),
        new RehearsalRequest("terms", "POST", search, TERMS, 200, 6000),
        new RehearsalRequest("histogram", "POST", search, HISTOGRAM, 200, 2000),
        new RehearsalRequest("several", "POST", "/_msearch", SEVERAL, 200, 1500),
        new RehearsalRequest("count", "POST", "/" + INDEX + "/_count", "", 200, 2000),
        new RehearsalRequest("document", "GET", "/" + INDEX + "/_doc/1", "", 200, 6000),
        new RehearsalRequest(
            "documents",
            "POST",
            "/" + INDEX + "/_mget",
            "{\"ids\":[\"1\",\"2\",\"3\",\"4\"]}",
            200,
            1500),
        new RehearsalRequest(
            "bulk", "POST", "/" + INDEX + "/_bulk", bulk(WRITTEN_AT_ONCE), 200, 300),
        new RehearsalRequest(
            "write", "PUT", "/" + INDEX + "/_doc/1", document(new Random(SEED), 1), 200, 6000),
        new RehearsalRequest(
            "update", "POST", "/" + INDEX + "/_update/2", "{\"doc\":{\"number\":2}}", 200, 1000),
        new RehearsalRequest("broken", "POST", search, "{\"query\":{\"match_all\":{}", 400, 200));
  }

  private static final String PAGE = "{\"size\":10,\"query\":{\"range\":{\"number\":{\"gte\":7}}}}";

  private static final String PAGES =
      "{\"size\":1000,\"query\":{\"range\":{\"number\":{\"gte\":7}}}}";

  private static final String SORTED =
      """
      {"size":100,"track_total_hits":true,"_source":["number","group"],
       "sort":[{"at":"desc"},{"number":"asc"}],"query":{"bool":{"filter":[{"exists":{"field":"at"}}],
       "must_not":[{"term":{"group":"group-1"}}]}}}
      """;

  private static final String HIGHLIGHTED =
      """
      {"size":5,"query":{"bool":{"should":[{"match":{"text":"word1 word2 word3"}},
       {"multi_match":{"query":"word4","fields":["text"]}}]}},"highlight":{"fields":{"text":{}}},
       "docvalue_fields":["number"],"post_filter":{"range":{"number":{"gte":1}}}}
      """;

  private static final String TERMS =
      """
      {"size":0,"query":{"range":{"number":{"gte":7}}},"aggs":{"t":{"terms":{"field":"group",
       "size":100},"aggs":{"a":{"avg":{"field":"number"}}}}}}
      """;

  private static final String HISTOGRAM =
      """
      {"size":0,"aggs":{"d":{"date_histogram":{"field":"at","calendar_interval":"day"},"aggs":{
       "s":{"stats":{"field":"number"}},"c":{"cardinality":{"field":"group"}}}},
       "f":{"filters":{"filters":{"low":{"range":{"number":{"lt":100}}}}}}}}
      """;

  private static final String SEVERAL =
      """
      {"index":"rehearsal"}
      {"size":3,"query":{"term":{"group":"group-2"}}}
      {"index":"rehearsal"}
      {"size":3,"query":{"term":{"group":"group-2"}}}
      """;

  private static String bulk(int documents) {
    Random random = new Random(SEED);
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < documents; i++) {
      body.append("{\"index\":{\"_index\":\"" + INDEX + "\",\"_id\":\"")
          .append(i)
          .append("\"}}\n")
          .append(document(random, i))
          .append('\n');
    }
    return body.toString();
  }

  private static String document(Random random, int number) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      text.append("word").append(random.nextInt(WORDS)).append(' ');
    }
    return "{\"number\":%d,\"group\":\"group-%d\",\"at\":\"2026-01-%02dT12:00:00Z\",\"text\":\"%s\"}"
        .formatted(number, random.nextInt(GROUPS), 1 + random.nextInt(28), text);
  }

  /** The request as sent: HTTP/1.1, with keep-alive. */
  byte[] toHttpBytes() {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nX-Opaque-Id: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, path, name, content.length);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(content);
    return request.toByteArray();
  }
}
