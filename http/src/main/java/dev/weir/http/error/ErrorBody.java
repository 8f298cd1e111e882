package dev.weir.http.error;

import dev.weir.model.BufferedResponse;
import dev.weir.model.JsonTextWriter;
import dev.weir.model.JsonTextWriter.Layout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error body in OpenSearch's format: {@code {"error":{"root_cause":[{"type":..,"reason":..}],
 * "type":..,"reason":..},"status":N}}.
 *
 * @param type in OpenSearch's spelling, such as {@code illegal_argument_exception}
 * @param reason the message
 * @param details further fields, strings or numbers, in order
 * @param causedBy null for none
 */
public record ErrorBody(
    int status,
    String type,
    @Nullable String reason,
    Map<String, Object> details,
    @Nullable Cause causedBy) {

  /** A {@code caused_by} object. */
  public record Cause(String type, @Nullable String reason, @Nullable Cause causedBy) {}

  /** Creates an error without details or cause. */
  public ErrorBody(int status, String type, String reason) {
    this(status, type, reason, Map.of(), null);
  }

  /**
   * Returns a node's response to a request that its codec could not decode.
   *
   * @param failure thrown by the codec
   */
  public static ErrorBody ofDecodingFailure(Throwable failure) {
    if (failure instanceof BodyTransformException unchangeable) {
      return new ErrorBody(400, "illegal_argument_exception", unchangeable.reason());
    }
    return new ErrorBody(
        400, typeOf(failure), failure.getMessage(), Map.of(), causeOf(failure.getCause()));
  }

  private static @Nullable Cause causeOf(@Nullable Throwable failure) {
    return failure == null
        ? null
        : new Cause(typeOf(failure), failure.getMessage(), causeOf(failure.getCause()));
  }

  /** Describes a failure that nothing expects. */
  public static ErrorBody ofUnexpected(Throwable failure) {
    return new ErrorBody(500, "exception", String.valueOf(failure));
  }

  /** Returns the exception's class name in OpenSearch's underscore spelling. */
  private static String typeOf(Throwable failure) {
    String name = failure.getClass().getSimpleName();
    StringBuilder spelled = new StringBuilder(name.length() + 8);
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isUpperCase(c)) {
        if (i > 0) {
          spelled.append('_');
        }
        spelled.append(Character.toLowerCase(c));
      } else {
        spelled.append(c);
      }
    }
    return spelled.toString();
  }

  /**
   * Creates a response with this body.
   *
   * @param pretty whether to indent
   */
  public BufferedResponse toReply(Map<String, String> headers, boolean pretty) {
    return new BufferedResponse(
        status,
        "application/json; charset=UTF-8",
        List.copyOf(headers.entrySet()),
        List.of(bytes(pretty)),
        () -> {});
  }

  /**
   * Returns the body's JSON in UTF-8.
   *
   * @param pretty whether to indent, as {@code ?pretty} asks for
   */
  public ByteBuffer bytes(boolean pretty) {
    JsonTextWriter json = new JsonTextWriter(pretty ? Layout.PRETTY : Layout.COMPACT);
    json.open('{').name("error").open('{').name("root_cause").open('[');
    json.open('{');
    writeFields(json);
    json.close('}').close(']');
    writeFields(json);
    if (causedBy != null) {
      writeCause(json, causedBy);
    }
    json.close('}').name("status").value(status).close('}');
    return ByteBuffer.wrap(json.finish().getBytes(StandardCharsets.UTF_8));
  }

  private void writeFields(JsonTextWriter json) {
    json.name("type").value(type).name("reason").value(reason);
    details.forEach((name, value) -> json.name(name).value(value));
  }

  private static void writeCause(JsonTextWriter json, Cause cause) {
    json.name("caused_by").open('{');
    json.name("type").value(cause.type).name("reason").value(cause.reason);
    if (cause.causedBy != null) {
      writeCause(json, cause.causedBy);
    }
    json.close('}');
  }
}
