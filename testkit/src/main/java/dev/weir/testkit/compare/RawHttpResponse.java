package dev.weir.testkit.compare;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/**
 * What came back for a request: status, headers in order, and the body's bytes; or that nothing
 * came.
 */
final class RawHttpResponse {
  /**
   * A header line.
   *
   * @param name in lower case
   * @param value without surrounding space
   */
  record Header(String name, String value) {}

  private final int status;
  private final List<Header> headers;
  private final byte[] body;
  private final String problem;

  RawHttpResponse(int status, List<Header> headers, byte[] body) {
    this(status, headers, body, "");
  }

  private RawHttpResponse(int status, List<Header> headers, byte[] body, String problem) {
    this.status = status;
    this.headers = List.copyOf(headers);
    this.body = body;
    this.problem = problem;
  }

  /** No answer: the connection was closed, or nothing was said for long. */
  static RawHttpResponse noResponse() {
    return new RawHttpResponse(0, List.of(), new byte[0], "no answer");
  }

  /** An answer that is no HTTP/1.1. */
  static RawHttpResponse malformed(String problem) {
    return new RawHttpResponse(0, List.of(), new byte[0], problem);
  }

  /** The status; 0 without an answer. */
  int status() {
    return status;
  }

  /** The status as text, or why there is none. */
  String outcome() {
    return status == 0 ? problem : Integer.toString(status);
  }

  List<Header> headers() {
    return headers;
  }

  /** The first value of a header; the name in lower case. */
  Optional<String> header(String name) {
    return headers.stream()
        .filter(header -> header.name().equals(name))
        .map(Header::value)
        .findFirst();
  }

  /** The media type without parameters, in lower case; empty without one. */
  String mediaType() {
    String type = header("content-type").orElse("").toLowerCase(Locale.ROOT);
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip();
  }

  /** The body without its content coding. */
  byte[] decodedBody() {
    try {
      return switch (header("content-encoding").orElse("identity")) {
        case "gzip" -> all(new GZIPInputStream(new ByteArrayInputStream(body)));
        case "deflate" -> all(new InflaterInputStream(new ByteArrayInputStream(body)));
        default -> body;
      };
    } catch (IOException e) {
      throw new IllegalStateException(
          "got a body that is not in the content coding of its header (expected: "
              + header("content-encoding")
              + ")",
          e);
    }
  }

  private static byte[] all(InputStream in) throws IOException {
    try (in) {
      return in.readAllBytes();
    }
  }

  /** The body as text. */
  String text() {
    return new String(decodedBody(), StandardCharsets.UTF_8);
  }
}
