package dev.weir.testkit.hostile;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/**
 * A hostile request that can be made in any size.
 *
 * @param name for messages
 * @param method HTTP method
 * @param path with parameters
 * @param headers further header lines, each with its line end
 * @param body returns a body of about so many bytes; it has more only if it can't have less
 */
public record HostileRequest(
    String name, String method, String path, String headers, IntFunction<byte[]> body) {
  static final String JSON = "Content-Type: application/json\r\n";
  static final String LINES = "Content-Type: application/x-ndjson\r\n";

  /**
   * The index that the requests search: a few documents with the fields {@code n} and {@code t}.
   */
  public static final String INDEX = "hostile";

  /** The index whose search has a response of four megabytes. */
  static final String LARGE_INDEX = "hostile-large";

  /** The index whose shards are allocated to no node. */
  static final String INDEX_WITHOUT_SHARDS = "hostile-without-shards";

  /** Returns a POST request with a JSON body. */
  static HostileRequest json(String name, String path, IntFunction<byte[]> body) {
    return new HostileRequest(name, "POST", path, JSON, body);
  }

  /** Returns a POST request with a body of lines. */
  static HostileRequest lines(String name, String path, IntFunction<byte[]> body) {
    return new HostileRequest(name, "POST", path, LINES, body);
  }

  /** Returns bodies of a text between two others, repeated up to the size. */
  static IntFunction<byte[]> repeated(String before, String part, String after) {
    return repeated(before, i -> part, "", after);
  }

  /** Returns bodies of numbered texts between two others, up to the size. */
  static IntFunction<byte[]> repeated(
      String before, IntFunction<String> part, String separator, String after) {
    return size -> {
      StringBuilder text = new StringBuilder(before);
      int i = 0;
      do {
        text.append(i == 0 ? "" : separator).append(part.apply(i));
        i++;
      } while (text.length() + after.length() < size);
      return text.append(after).toString().getBytes(StandardCharsets.UTF_8);
    };
  }

  /** Returns bodies nested up to the size. */
  static IntFunction<byte[]> nested(String open, String inner, String close) {
    return size -> {
      int depth = Math.max(1, (size - inner.length()) / (open.length() + close.length()));
      return (open.repeat(depth) + inner + close.repeat(depth)).getBytes(StandardCharsets.UTF_8);
    };
  }

  /** Returns the same body for every size. */
  static IntFunction<byte[]> fixed(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return size -> bytes;
  }

  /** Returns the request on the wire up to its body. */
  byte[] head(int length) {
    return (method
            + " "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\n"
            + headers
            + "Content-Length: "
            + length
            + "\r\n\r\n")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public String toString() {
    return name;
  }
}
