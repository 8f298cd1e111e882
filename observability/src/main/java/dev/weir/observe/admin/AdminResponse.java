package dev.weir.observe.admin;

import dev.weir.model.JsonTextWriter;
import java.util.Map;

/**
 * The response of an admin page.
 *
 * @param status the HTTP status
 * @param contentType of the body
 * @param body as text, sent as UTF-8
 * @param headers further headers; they replace the default ones
 */
public record AdminResponse(
    int status, String contentType, String body, Map<String, String> headers) {
  private static final String TEXT = "text/plain; charset=utf-8";

  /** A response with text of a content type. */
  public static AdminResponse of(int status, String contentType, String body) {
    return new AdminResponse(status, contentType, body, Map.of());
  }

  /** A plain text response. */
  public static AdminResponse text(int status, String body) {
    return of(status, TEXT, body);
  }

  /** A tree of maps, lists, numbers, booleans and text as indented JSON. */
  public static AdminResponse json(int status, Map<String, ?> tree) {
    return json(status, JsonTextWriter.toIndentedJson(tree));
  }

  /** A response with serialised JSON. */
  public static AdminResponse json(int status, String text) {
    return of(status, "application/json; charset=utf-8", text);
  }

  /** A temporary redirect. */
  public static AdminResponse redirect(String location) {
    return new AdminResponse(302, TEXT, "see " + location + "\n", Map.of("Location", location));
  }
}
