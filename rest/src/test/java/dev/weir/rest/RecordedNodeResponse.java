package dev.weir.rest;

import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A request and what a real node answered, as {@code node-answers.txt} keeps them: one line each
 * for the request, its headers, its body, the answer's status and content type, and its body.
 *
 * @param content the answer's body, text or, where it begins with {@code hex:}, hexadecimal
 */
record RecordedNodeResponse(
    String method,
    String uri,
    List<Map.Entry<String, String>> headers,
    String body,
    int status,
    String contentType,
    String content) {

  static List<RecordedNodeResponse> readAll() {
    try (InputStream in = RecordedNodeResponse.class.getResourceAsStream("node-answers.txt")) {
      String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(all.split("\n\n"))
          .filter(block -> !block.isBlank())
          .map(RecordedNodeResponse::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RecordedNodeResponse parse(String block) {
    String request = "";
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    String body = "";
    String answer = "0 ";
    String content = "";
    for (String line : block.strip().split("\n")) {
      String rest = line.substring(2);
      switch (line.charAt(0)) {
        case '>' -> request = rest;
        case 'h' -> headers.add(split(rest, ": "));
        case 'b' -> body = unescape(rest);
        case '<' -> answer = rest;
        case '=' -> content = unescape(rest);
        default -> throw new IllegalArgumentException("got " + line + " (expected: > h b < =)");
      }
    }
    var target = split(request, " ");
    var head = split(answer, " ");
    return new RecordedNodeResponse(
        target.getKey(),
        target.getValue(),
        headers,
        body,
        Integer.parseInt(head.getKey()),
        head.getValue(),
        content);
  }

  private static Map.Entry<String, String> split(String text, String separator) {
    int at = text.indexOf(separator);
    return Map.entry(text.substring(0, at), text.substring(at + separator.length()));
  }

  /** The request to give to the dispatcher. */
  TestExchange exchange() {
    TestExchange exchange = TestExchange.queued(method, uri);
    headers.forEach(header -> exchange.header(header.getKey(), header.getValue()));
    return exchange.body(body.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the same request with another response. */
  RecordedNodeResponse answered(int newStatus, String newContentType, byte[] bytes) {
    return new RecordedNodeResponse(
        method, uri, headers, body, newStatus, newContentType, contentOf(newContentType, bytes));
  }

  /** Returns the {@link #content} for these bytes. */
  static String contentOf(String contentType, byte[] bytes) {
    boolean text = !contentType.contains("cbor") && !contentType.contains("smile");
    return text
        ? new String(bytes, StandardCharsets.UTF_8)
        : "hex:" + HexFormat.of().formatHex(bytes);
  }

  /** Returns the lines of the file. */
  String format() {
    StringBuilder lines = new StringBuilder("> " + method + " " + uri + "\n");
    headers.forEach(
        header -> lines.append("h " + header.getKey() + ": " + header.getValue() + "\n"));
    lines.append(body.isEmpty() ? "" : "b " + escape(body) + "\n");
    lines.append("< " + status + " " + contentType + "\n");
    return lines
        .append(content.isEmpty() ? "" : "= " + escape(content) + "\n")
        .append("\n")
        .toString();
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String unescape(String text) {
    return text.replace("\\\\", "\u0000").replace("\\n", "\n").replace("\u0000", "\\");
  }

  @Override
  public String toString() {
    return method + " " + uri + " " + headers + " " + body;
  }
}
