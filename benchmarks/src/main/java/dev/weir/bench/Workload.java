package dev.weir.bench;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * One kind of request; each number gives another request.
 *
 * @param name for the table
 * @param request the bytes of the n-th request on the wire, HTTP/1.1 with keep-alive
 */
public record Workload(String name, LongFunction<byte[]> request) {
  static final String SEARCH_INDEX = "bench";
  static final String WRITE_INDEX = "bench-write";

  /** A search that returns a page of documents of about 1 KB. */
  public static Workload search(int size) {
    return search(size, "");
  }

  /**
   * The same with parameters.
   *
   * @param parameters what follows the path, from the question mark on; may be empty
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

  /** A terms aggregation of 100 buckets with an average in each. */
  static Workload terms() {
    String body =
        "{\"size\":0,\"query\":{\"range\":{\"number\":{\"gte\":%d}}},\"aggs\":{\"t\":{\"terms\":"
            + "{\"field\":\"group\",\"size\":100},\"aggs\":{\"a\":{\"avg\":{\"field\":\"number\"}}}}}}";
    return new Workload(
        "terms aggregation",
        n -> post("/" + SEARCH_INDEX + "/_search?request_cache=false", body.formatted(n % 100)));
  }

  /**
   * A search that is work: a score computed by a script for every document.
   *
   * @param steps of the script's loop for a document
   */
  public static Workload scripted(int steps) {
    String body =
        "{\"size\":10,\"query\":{\"script_score\":{\"query\":{\"range\":{\"number\":{\"gte\":%d}}},\"script\":{\"source\":\"int"
            + " n = params.n; double s = doc['number'].value; for (int i = 0; i < n; i++) { s ="
            + " Math.sqrt(s * s + i); } return s;\",\"params\":{\"n\":%d}}}}}";
    return new Workload(
        "scripted search",
        n ->
            post(
                "/" + SEARCH_INDEX + "/_search?request_cache=false",
                body.formatted(n % 100, steps)));
  }

  /**
   * Any POST request.
   *
   * @param path with parameters
   * @param body of the n-th request
   */
  public static Workload ofPost(String name, String path, LongFunction<String> body) {
    return new Workload(name, n -> post(path, body.apply(n)));
  }

  /** A bulk of documents of about 1 KB without ids. */
  public static Workload bulk(int documents) {
    StringBuilder body = new StringBuilder();
    Random random = new Random(documents);
    for (int i = 0; i < documents; i++) {
      body.append("{\"index\":{}}\n").append(generateDocument(random, i)).append('\n');
    }
    byte[] request = post("/" + WRITE_INDEX + "/_bulk", body.toString());
    return new Workload("bulk of " + documents, n -> request);
  }

  /** A document of about 1 KB. */
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

  /** A POST as it goes over the wire. */
  public static byte[] post(String path, byte[] body) {
    return request("POST", path, body);
  }

  /** A request as it goes over the wire. */
  public static byte[] request(String method, String path, String body) {
    return request(method, path, body.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] request(String method, String path, byte[] content) {
    byte[] head =
        (method
                + " "
                + path
                + " HTTP/1.1\r\n"
                + "Host: localhost\r\n"
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
