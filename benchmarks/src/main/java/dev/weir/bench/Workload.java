package dev.weir.bench;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * A kind of request; each number gives a different request.
 *
 * @param name for the table
 * @param request returns the bytes of the n-th request on the wire, in HTTP/1.1 with keep-alive
 * @param success what the beginning of a success contains; empty if its status says it all
 */
public record Workload(String name, LongFunction<byte[]> request, String success) {
  /** A bulk that lost a document also has status 200. */
  private static final String NO_FAILED_DOCUMENT = "\"errors\":false";

  /** The index that searches read. */
  public static final String SEARCH_INDEX = "bench";

  /** The index that bulks write. */
  public static final String WRITE_INDEX = "bench-write";

  /** Creates requests whose status says whether they succeeded. */
  public Workload(String name, LongFunction<byte[]> request) {
    this(name, request, "");
  }

  /**
   * Returns what the beginning of a success contains; empty if its status says it all.
   *
   * @param path of the requests
   */
  public static String successOf(String path) {
    return path.contains("/_bulk") ? NO_FAILED_DOCUMENT : "";
  }

  /** Returns a search for a page of documents of about 1 KB. */
  public static Workload search(int size) {
    return search(size, "");
  }

  /**
   * Returns a search for a page of documents, with query parameters.
   *
   * @param parameters with their question mark; may be empty
   */
  public static Workload search(int size, String parameters) {
    return new Workload(
        "search size " + size,
        n ->
            post(
                "/" + SEARCH_INDEX + "/_search" + parameters,
                "{\"size\":"
                    + size
                    + ",\"query\":{\"range\":{\"number\":{\"gte\":"
                    + n % 100
                    + "}}}}"));
  }

  /** Returns a terms aggregation with 100 buckets and an average in each. */
  public static Workload terms() {
    String body =
        "{\"size\":0,\"query\":{\"range\":{\"number\":{\"gte\":%d}}},\"aggs\":{\"t\":{\"terms\":"
            + "{\"field\":\"group\",\"size\":100},\"aggs\":{\"a\":{\"avg\":{\"field\":\"number\"}}}}}}";
    return new Workload(
        "terms aggregation",
        n -> post("/" + SEARCH_INDEX + "/_search?request_cache=false", body.formatted(n % 100)));
  }

  /** Returns a histogram of days with a terms aggregation of ten buckets in each. */
  public static Workload dateHistogram() {
    String body =
        "{\"size\":0,\"query\":{\"range\":{\"number\":{\"gte\":%d}}},\"aggs\":{\"d\":"
            + "{\"date_histogram\":{\"field\":\"at\",\"calendar_interval\":\"day\"},"
            + "\"aggs\":{\"g\":{\"terms\":{\"field\":\"group\"}}}}}}";
    return new Workload(
        "date histogram",
        n -> post("/" + SEARCH_INDEX + "/_search?request_cache=false", body.formatted(n % 100)));
  }

  /**
   * Returns an expensive search, whose script computes a score for every document.
   *
   * @param steps of the script's loop for each document
   */
  public static Workload scripted(int steps) {
    return ofPost(
        "scripted search",
        "/" + SEARCH_INDEX + "/_search?request_cache=false",
        n -> "{\"size\":10," + scriptQuery(n, steps) + "}");
  }

  private static String scriptQuery(long number, int steps) {
    return ("\"query\":{\"script_score\":{\"query\":{\"range\":{\"number\":{\"gte\":%d}}},\"script\":{\"source\":\"int"
                + " n = params.n; double s = doc['number'].value; for (int i = 0; i < n; i++) { s ="
                + " Math.sqrt(s * s + i); } return s;\",\"params\":{\"n\":%d}}}}")
        .formatted(number % 100, steps);
  }

  /**
   * Returns the same expensive search without hits, which is one call to each shard: a search with
   * hits fetches them by a second call, which waits in the node's queue once more.
   */
  public static Workload scriptedWithoutHits(int steps) {
    return ofPost(
        "scripted search without hits",
        "/" + SEARCH_INDEX + "/_search?request_cache=false",
        // min_score makes a node compute the scores that no hit needs
        n -> "{\"size\":0,\"min_score\":0.001," + scriptQuery(n, steps) + "}");
  }

  /**
   * Returns a workload of POST requests.
   *
   * @param path with parameters
   * @param body returns the body of the n-th request
   */
  public static Workload ofPost(String name, String path, LongFunction<String> body) {
    return new Workload(name, n -> post(path, body.apply(n)), successOf(path));
  }

  /** Returns a bulk of documents of about 1 KB without ids. */
  public static Workload bulk(int documents) {
    return bulk(WRITE_INDEX, documents);
  }

  /** Returns a bulk of documents of about 1 KB without ids, into an index. */
  public static Workload bulk(String index, int documents) {
    StringBuilder body = new StringBuilder();
    Random random = new Random(documents);
    for (int i = 0; i < documents; i++) {
      body.append("{\"index\":{}}\n").append(generateDocument(random, i)).append('\n');
    }
    String path = "/" + index + "/_bulk";
    byte[] request = post(path, body.toString());
    return new Workload("bulk of " + documents, n -> request, successOf(path));
  }

  /** Returns a document of about 1 KB. */
  public static String generateDocument(Random random, int number) {
    StringBuilder text = new StringBuilder();
    while (text.length() < 850) {
      text.append("word").append(random.nextInt(5000)).append(' ');
    }
    return "{\"number\":"
        + number
        + ",\"group\":\"group-"
        + random.nextInt(100)
        + "\",\"at\":\"2026-01-"
        + (10 + random.nextInt(19))
        + "T12:00:00Z\",\"text\":\""
        + text
        + "\"}";
  }

  static byte[] post(String path, String body) {
    return request("POST", path, body);
  }

  /** Returns a POST request as sent on the wire. */
  public static byte[] post(String path, byte[] body) {
    return request("POST", path, body);
  }

  /** Returns a request as sent on the wire. */
  public static byte[] request(String method, String path, String body) {
    return request(method, path, body.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns a POST request as sent on the wire.
   *
   * @param headers further headers, such as credentials
   */
  public static byte[] post(String path, String body, Map<String, String> headers) {
    return request("POST", path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static byte[] request(String method, String path, byte[] content) {
    return request(method, path, content, Map.of());
  }

  private static byte[] request(
      String method, String path, byte[] content, Map<String, String> headers) {
    StringBuilder more = new StringBuilder();
    headers.forEach((name, value) -> more.append(name + ": " + value + "\r\n"));
    byte[] head =
        (method
                + " "
                + path
                + " HTTP/1.1\r\n"
                + "Host: localhost\r\n"
                + more
                + "Content-Type: application/json\r\n"
                + "Content-Length: "
                + content.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] whole = new byte[head.length + content.length];
    System.arraycopy(head, 0, whole, 0, head.length);
    System.arraycopy(content, 0, whole, head.length, content.length);
    return whole;
  }
}
