package dev.weir.observe.admin;

import java.util.Map;

/**
 * What a page says.
 *
 * @param status the HTTP status
 * @param contentType of the body
 * @param body as text, sent as UTF-8
 * @param headers further ones; they replace those that every answer has
 */
public record AdminReply(int status, String contentType, String body, Map<String, String> headers) {
  private static final String TEXT = "text/plain; charset=utf-8";

  /** Text of a type. */
  public static AdminReply of(int status, String contentType, String body) {
    return new AdminReply(status, contentType, body, Map.of());
  }

  /** Plain text. */
  public static AdminReply text(int status, String body) {
    return of(status, TEXT, body);
  }

  /** A tree of maps, lists, numbers, booleans and text as indented JSON. */
  public static AdminReply json(int status, Map<String, ?> tree) {
    return json(status, JsonTree.write(tree));
  }

  /** JSON that is written already. */
  public static AdminReply json(int status, String text) {
    return of(status, "application/json; charset=utf-8", text);
  }

  /** Sends a browser elsewhere, for this time. */
  public static AdminReply elsewhere(String location) {
    return new AdminReply(302, TEXT, "see " + location + "\n", Map.of("Location", location));
  }
}
