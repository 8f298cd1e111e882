package dev.weir.gateway.app.admin;

import java.util.Map;

/**
 * What a page says.
 *
 * @param status the HTTP status
 * @param contentType of the body
 * @param body as text, sent as UTF-8
 */
public record AdminReply(int status, String contentType, String body) {
  /** Plain text. */
  public static AdminReply text(int status, String body) {
    return new AdminReply(status, "text/plain; charset=utf-8", body);
  }

  /** A tree of maps, lists, numbers, booleans and text as indented JSON. */
  public static AdminReply json(int status, Map<String, ?> tree) {
    return json(status, JsonTree.write(tree));
  }

  /** JSON that is written already. */
  public static AdminReply json(int status, String text) {
    return new AdminReply(status, "application/json; charset=utf-8", text);
  }
}
