package dev.weir.testkit.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.List;

/**
 * Bytes that two HTTP servers in a row may read as different requests. Each contains a second
 * request that a careless server finds in the first one's body, or in what follows its head.
 *
 * @param name for messages
 * @param text the bytes, as Latin-1 characters
 */
public record DesyncProbe(String name, String text) {
  /** The index that the second requests write; it must exist, so that they are fast. */
  public static final String INDEX = "desync";

  /** The path of the second request; {@link #withDocument} replaces it. */
  private static final String SMUGGLED = "/" + INDEX + "/_doc/000";

  private static final String SECOND =
      "PUT "
          + SMUGGLED
          + " HTTP/1.1\r\n"
          + "Host: x\r\n"
          + "Content-Type: application/json\r\n"
          + "Content-Length: 2\r\n\r\n{}";

  /** A path that passes through to a node, since that is where two servers read the same bytes. */
  private static final String FIRST = "POST /_analyze HTTP/1.1\r\nHost: x\r\n";

  private static final String TYPE = "Content-Type: application/json\r\n";

  /** Returns all probes. */
  public static List<DesyncProbe> all() {
    String chunked = "0\r\n\r\n" + SECOND;
    return List.of(
        length("both lengths", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked),
        length(
            "both lengths, chunked first",
            "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            chunked),
        length(
            "two lengths",
            "Content-Length: 0\r\nContent-Length: " + SECOND.length() + "\r\n",
            SECOND),
        length("a list of lengths", "Content-Length: 0, " + SECOND.length() + "\r\n", SECOND),
        length("a length with a sign", "Content-Length: +0\r\n", SECOND),
        length("a negative length", "Content-Length: -1\r\n", SECOND),
        length("a hexadecimal length", "Content-Length: 0x0\r\n", SECOND),
        length("an empty length", "Content-Length: \r\n", SECOND),
        length("a length of blanks", "Content-Length: 0 0\r\n", SECOND),
        length("a length beyond a long", "Content-Length: 99999999999999999999\r\n", SECOND),
        length(
            "a blank before the colon",
            "Content-Length : 0\r\nTransfer-Encoding : chunked\r\n",
            SECOND),
        length(
            "an unknown coding", "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n", chunked),
        length(
            "two codings",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
            chunked),
        length("chunked, then identity", "Transfer-Encoding: chunked, identity\r\n", chunked),
        length(
            "a tab before the coding",
            "Transfer-Encoding:\tchunked\r\nContent-Length: 4\r\n",
            chunked),
        length(
            "a vertical tab in the coding",
            "Transfer-Encoding: \u000bchunked\r\nContent-Length: 4\r\n",
            chunked),
        length(
            "a quoted coding", "Transfer-Encoding: \"chunked\"\r\nContent-Length: 4\r\n", chunked),
        length("an underscore", "Transfer_Encoding: chunked\r\nContent-Length: 0\r\n", SECOND),
        length(
            "a folded header",
            "X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
            SECOND),
        length(
            "a folded coding", "Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n", chunked),
        length(
            "a bare line feed",
            "X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            chunked),
        length(
            "a bare carriage return",
            "X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            chunked),
        length("a NUL in a header", "X-A: b\u0000\r\nContent-Length: 0\r\n", SECOND),
        length("a header without a name", ": b\r\nContent-Length: 0\r\n", SECOND),
        length("a header without a colon", "Nonsense\r\nContent-Length: 0\r\n", SECOND),
        chunks("a chunk extension", "0;a=b\r\n\r\n" + SECOND),
        chunks("a chunk extension with a line feed", "0;a\n\r\n\r\n" + SECOND),
        chunks("a chunk size with a sign", "+0\r\n\r\n" + SECOND),
        chunks("a chunk size with a prefix", "0x0\r\n\r\n" + SECOND),
        chunks("a chunk size that overflows", "100000000\r\n\r\n" + SECOND),
        chunks("a negative chunk size", "-1\r\n\r\n" + SECOND),
        chunks("an empty chunk size", "\r\n\r\n" + SECOND),
        chunks("chunks that end with line feeds", "0\n\n" + SECOND),
        chunks("a chunk without its line end", "1\r\nx0\r\n\r\n" + SECOND),
        chunks("trailers", "0\r\nContent-Length: 9\r\nHost: y\r\n\r\n" + SECOND),
        new DesyncProbe(
            "an upgrade with a second request",
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                + SECOND),
        new DesyncProbe(
            "an upgrade to HTTP/2 with a second request",
            "GET / HTTP/1.1\r\n"
                + "Host: x\r\n"
                + "Connection: Upgrade, HTTP2-Settings\r\n"
                + "Upgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n"
                + SECOND),
        new DesyncProbe("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
        new DesyncProbe("no host", "GET / HTTP/1.1\r\n\r\n"),
        new DesyncProbe(
            "HTTP/1.0 with chunks",
            "POST /_analyze HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked),
        new DesyncProbe("an unknown version", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"),
        new DesyncProbe(
            "blanks in the target", "GET /_search PUT" + SMUGGLED + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        new DesyncProbe(
            "an absolute target", "GET http://y/_cat/indices HTTP/1.1\r\nHost: x\r\n\r\n"),
        new DesyncProbe("a blank line first", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  }

  private static DesyncProbe length(String name, String headers, String rest) {
    return new DesyncProbe(name, FIRST + TYPE + headers + "\r\n" + rest);
  }

  private static DesyncProbe chunks(String name, String rest) {
    return length(name, "Transfer-Encoding: chunked\r\n", rest);
  }

  /** Returns this probe with a second request that writes another document. */
  public DesyncProbe withDocument(int number) {
    return new DesyncProbe(name, text.replace(SMUGGLED, document(number)));
  }

  /** Returns the path of the document that the second request of a probe writes. */
  public static String document(int number) {
    return "/%s/_doc/%03d".formatted(INDEX, number);
  }

  /** Returns the bytes on the wire. */
  public byte[] bytes() {
    return text.getBytes(ISO_8859_1);
  }

  @Override
  public String toString() {
    return name;
  }
}
