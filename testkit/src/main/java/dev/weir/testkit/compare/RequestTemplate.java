package dev.weir.testkit.compare;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;

/**
 * A request with {@code {name}} where a variable goes.
 *
 * <p>Either well formed, from which {@code Host}, {@code Content-Length} and a fresh {@code
 * X-Opaque-Id} are completed unless given, or raw bytes. (A node sends each deprecation warning
 * once per X-Opaque-Id, so that two requests with the same one would be answered differently.)
 */
public final class RequestTemplate {
  private static final Pattern VARIABLE = Pattern.compile("\\{([a-z][a-z0-9_]*)\\}");

  private final String method;
  private final String target;
  private final List<String> headers;
  private final String body;
  private final boolean raw;
  private final Encoding extras;

  /**
   * What is done to a request besides filling in variables.
   *
   * @param withoutContentType whether no X-Opaque-Id is added
   * @param format the format to write a JSON body in; null to send it as it is
   */
  record Encoding(boolean withoutContentType, @Nullable XContentType format) {
    static final Encoding NONE = new Encoding(false, null);
  }

  private RequestTemplate(
      String method,
      String target,
      List<String> headers,
      String body,
      boolean raw,
      Encoding extras) {
    this.method = method;
    this.target = target;
    this.headers = List.copyOf(headers);
    this.body = body;
    this.raw = raw;
    this.extras = extras;
  }

  /** A well-formed request; header lines are {@code name: value}. */
  static RequestTemplate of(
      String method, String target, List<String> headers, String body, Encoding extras) {
    return new RequestTemplate(method, target, headers, body, false, extras);
  }

  /** Bytes to be sent as they are, in ISO 8859-1. */
  static RequestTemplate raw(String bytes) {
    return new RequestTemplate("raw", bytes, List.of(), "", true, Encoding.NONE);
  }

  /** Whether the answer has no body. */
  boolean isHead() {
    return method.equals("HEAD");
  }

  /** Whether its bytes were written out. */
  boolean isRaw() {
    return raw;
  }

  /** The request's first line. */
  String summary() {
    return raw ? "raw " + target.lines().findFirst().orElse("") : method + " " + target;
  }

  /**
   * The bytes to send.
   *
   * @param variables what to fill in
   * @param host the value of the Host header
   * @param opaqueId an X-Opaque-Id that was not used before
   */
  byte[] render(Map<String, String> variables, String host, String opaqueId) {
    if (raw) {
      return fill(target, variables).getBytes(StandardCharsets.ISO_8859_1);
    }
    byte[] content = content(variables);
    List<String> lines = new ArrayList<>();
    lines.add(method + " " + fill(target, variables) + " HTTP/1.1");
    headers.forEach(header -> lines.add(fill(header, variables)));
    if (given("host").isEmpty()) {
      lines.add("Host: " + host);
    }
    if (!extras.withoutContentType() && given("x-opaque-id").isEmpty()) {
      lines.add("X-Opaque-Id: " + opaqueId);
    }
    if (content.length > 0 && given("content-length").isEmpty() && !chunked()) {
      lines.add("Content-Length: " + content.length);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
    all.writeBytes(chunked() ? inOneChunk(content) : content);
    return all.toByteArray();
  }

  private boolean chunked() {
    return given("transfer-encoding").isPresent();
  }

  private static byte[] inOneChunk(byte[] content) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if (content.length > 0) {
      all.writeBytes(
          (Integer.toHexString(content.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      all.writeBytes(content);
      all.writeBytes(new byte[] {'\r', '\n'});
    }
    all.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return all.toByteArray();
  }

  private byte[] content(Map<String, String> variables) {
    String filled = fill(body, variables);
    XContentType format = extras.format();
    return format == null || filled.isEmpty()
        ? filled.getBytes(StandardCharsets.UTF_8)
        : BodyFormats.encode(format, filled);
  }

  private Optional<String> given(String header) {
    return headers.stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(header + ":"))
        .findFirst();
  }

  /** A text with its variables filled in; what looks like a variable and is none stays. */
  static String fill(String text, Map<String, String> variables) {
    Matcher matcher = VARIABLE.matcher(text);
    return matcher.replaceAll(
        found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), found.group())));
  }
}
