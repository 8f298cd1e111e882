package dev.weir.http.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The expected texts are a node's, of OpenSearch 3.8.0. */
class ErrorBodyTest {

  private static String text(ErrorBody error, boolean pretty) {
    return StandardCharsets.UTF_8.decode(error.bytes(pretty)).toString();
  }

  @Test
  void writesAnErrorAsANodeDoes() {
    assertThat(
            text(
                ErrorBody.ofDecodingFailure(
                    new TooLongHttpLineException("An HTTP line is larger than 4096 bytes.")),
                false))
        .isEqualTo(
            "{\"error\":{\"root_cause\":[{\"type\":\"too_long_http_line_exception\",\"reason\":\"An"
                + " HTTP line is larger than 4096 bytes.\"}],\"type\":"
                + "\"too_long_http_line_exception\",\"reason\":\"An HTTP line is larger than 4096"
                + " bytes.\"},\"status\":400}");
  }

  @Test
  void nameTheCauses() {
    assertThat(
            text(
                ErrorBody.ofDecodingFailure(
                    new IllegalArgumentException(
                        "Validation failed for header 'Foo'",
                        new IllegalArgumentException(
                            "a header value contains prohibited character 0x0 at index 1."))),
                false))
        .isEqualTo(
            "{\"error\":{\"root_cause\":[{\"type\":\"illegal_argument_exception\",\"reason\":\"Validation"
                + " failed for header"
                + " 'Foo'\"}],\"type\":\"illegal_argument_exception\",\"reason\":\"Validation"
                + " failed for header"
                + " 'Foo'\",\"caused_by\":{\"type\":\"illegal_argument_exception\",\"reason\":\"a"
                + " header value contains prohibited character 0x0 at index"
                + " 1.\"}},\"status\":400}");
  }

  @Test
  void indentsAsANodeDoes() {
    assertThat(
            text(
                ErrorBody.ofDecodingFailure(
                    new IllegalArgumentException(
                        "a header name can only contain \"token\" characters")),
                true))
        .isEqualTo(
            """
            {
              "error" : {
                "root_cause" : [
                  {
                    "type" : "illegal_argument_exception",
                    "reason" : "a header name can only contain \\"token\\" characters"
                  }
                ],
                "type" : "illegal_argument_exception",
                "reason" : "a header name can only contain \\"token\\" characters"
              },
              "status" : 400
            }
            """);
  }

  @Test
  void escapeForJson() {
    assertThat(text(new ErrorBody(400, "t", "a\"b\\c\n\t\u0001é"), false))
        .contains("\"reason\":\"a\\\"b\\\\c\\n\\t\\u0001é\"");
    assertThat(text(ErrorBody.ofDecodingFailure(new IllegalStateException()), false))
        .contains("\"reason\":null");
  }
}
