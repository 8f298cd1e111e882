package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestReply;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.common.xcontent.support.XContentMapValues;

/**
 * A JSON answer.
 *
 * @param status the HTTP status
 * @param body the body as maps and lists
 */
public record JsonResponse(int status, Map<String, Object> body) {
  private static final int FIRST_ERROR = 400;

  public static JsonResponse of(RestReply reply) {
    return of(reply.status(), reply.body());
  }

  public static JsonResponse of(int status, String body) {
    return new JsonResponse(
        status, XContentHelper.convertToMap(JsonXContent.jsonXContent, body, true));
  }

  /** The value at a path of keys with dots between. */
  public @Nullable Object at(String path) {
    return XContentMapValues.extractValue(path, body);
  }

  public long number(String path) {
    assertThat(at(path)).as("%s of %s", path, this).isInstanceOf(Number.class);
    return at(path) instanceof Number number ? number.longValue() : -1;
  }

  public String text(String path) {
    return String.valueOf(at(path));
  }

  /** The objects of an array. */
  @SuppressWarnings("unchecked")
  public List<Map<String, Object>> objects(String path) {
    return at(path) instanceof List<?> list ? (List<Map<String, Object>>) list : List.of();
  }

  /** Insists that it is an error as OpenSearch writes them, and returns its reason. */
  public String reasonOfError() {
    assertThat(status).as("status of %s", this).isGreaterThanOrEqualTo(FIRST_ERROR);
    assertThat(number("status")).as("status in %s", this).isEqualTo(status);
    assertThat(text("error.type")).as("type in %s", this).isNotEqualTo("null").isNotEmpty();
    assertThat(objects("error.root_cause"))
        .as("root causes in %s", this)
        .allMatch(cause -> cause.containsKey("type") && cause.containsKey("reason"));
    return text("error.reason");
  }
}
