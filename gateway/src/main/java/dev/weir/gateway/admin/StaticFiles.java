package dev.weir.gateway.admin;

import dev.weir.model.Sha256;
import dev.weir.observe.admin.AdminResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of the live page, read from the jar once. Only these are served, by their exact names.
 * Browsers may cache them, and revalidate them for each use. Immutable; safe on any thread.
 */
public final class StaticFiles {
  /** Allows files of this origin only: no inline scripts, no frames. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String INDEX = "index.html";
  private static final List<String> NAMES =
      List.of(
          INDEX,
          "actions.js",
          "advice.js",
          "change.js",
          "cluster.js",
          "dom.js",
          "drain.js",
          "drill.js",
          "format.js",
          "heat.js",
          "history.js",
          "main.js",
          "memory.js",
          "nodes.js",
          "past.js",
          "picker.js",
          "poll.js",
          "queues.js",
          "refusals.js",
          "repeats.js",
          "savings.js",
          "scores.js",
          "shares.js",
          "state.js",
          "tiles.js",
          "traffic.js",
          "usage.js",
          "weights.js",
          "weir.css",
          "weir.svg");
  private static final int TAG_DIGITS = 20;

  private final Map<String, StaticFile> files;

  private record StaticFile(String contentType, String text, String tag) {}

  private StaticFiles(Map<String, StaticFile> files) {
    this.files = files;
  }

  /** The files of the live page. */
  public static StaticFiles loadLivePage() {
    Map<String, StaticFile> files = new LinkedHashMap<>();
    for (String name : NAMES) {
      files.put(name, read(name));
    }
    return new StaticFiles(files);
  }

  private static StaticFile read(String name) {
    try (InputStream in = StaticFiles.class.getResourceAsStream("ui/" + name)) {
      if (in == null) {
        throw new IllegalStateException("got no ui/" + name + " (expected: a file of the page)");
      }
      byte[] bytes = in.readAllBytes();
      return new StaticFile(
          type(name), new String(bytes, StandardCharsets.UTF_8), entityTag(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException("can't read ui/" + name, e);
    }
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalStateException("got " + name + " (expected: a known ending)");
    };
  }

  private static String entityTag(byte[] bytes) {
    return '"' + Sha256.hex(bytes).substring(0, TAG_DIGITS) + '"';
  }

  /** The names of all files, that of the page first. */
  static List<String> names() {
    return NAMES;
  }

  /**
   * The response with one file.
   *
   * @param name the requested name; empty for the page itself
   */
  AdminResponse respond(String name, AdminRequest request) {
    StaticFile file = files.get(name.isEmpty() ? INDEX : name);
    if (file == null) {
      return AdminResponse.text(404, "got " + request.path() + " (expected: a file of the page)\n");
    }
    if (!request.method().equals("GET")) {
      return AdminResponse.text(405, "got " + request.method() + " (expected: GET)\n");
    }
    Map<String, String> headers =
        Map.of(
            "ETag",
            file.tag(),
            "Cache-Control",
            "no-cache",
            "Content-Security-Policy",
            CONTENT_SECURITY_POLICY,
            "Cross-Origin-Opener-Policy",
            "same-origin");
    boolean unchanged =
        containsTag(request.headers().get(HttpHeaderNames.IF_NONE_MATCH, ""), file.tag());
    return unchanged
        ? new AdminResponse(304, file.contentType(), "", headers)
        : new AdminResponse(200, file.contentType(), file.text(), headers);
  }

  private static boolean containsTag(String tags, String tag) {
    for (String one : tags.split(",", -1)) {
      String strong = one.strip().replaceFirst("^W/", "");
      if (strong.equals(tag) || strong.equals("*")) {
        return true;
      }
    }
    return false;
  }
}
