package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.rest.RestRequest;

final class ExportBodyTest {
  private static ExportBody read(TestExchange exchange) throws IOException {
    return ExportBody.read(
        RestRequest.request(
            RestDispatcherFixture.REGISTRIES.xContents(), new ExchangeHttpRequest(exchange), null));
  }

  private static ExportBody read(String json) throws IOException {
    return read(TestExchange.of("POST", "/_weir/export").json(json));
  }

  private static Map<String, Object> search(ExportBody body) throws IOException {
    Map<String, Object> members = new LinkedHashMap<>();
    body.parseSearch(parser -> members.putAll(parser.map()));
    return members;
  }

  @Test
  void takesTheCursorOutOfTheSearch() throws IOException {
    ExportBody body =
        read(
            """
            {"query":{"range":{"n":{"gte":1.5,"lt":12345678901234}}},"cursor":"a-b_c",
             "size":3,"_source":{"excludes":["cursor"]},"script_fields":{"cursor":{"script":"1"}}}
            """);

    assertThat(body.cursor()).isEqualTo("a-b_c");
    assertThat(search(body))
        .isEqualTo(
            Map.of(
                "query",
                Map.of("range", Map.of("n", Map.of("gte", 1.5, "lt", 12_345_678_901_234L))),
                "size",
                3,
                "_source",
                Map.of("excludes", List.of("cursor")),
                "script_fields",
                Map.of("cursor", Map.of("script", "1"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"query\":{\"cursor\":\"x\"}}", "{\"cursor\":5}"})
  void leavesASearchWithoutACursorAlone(String json) throws IOException {
    ExportBody body = read(json);

    assertThat(body.cursor()).isNull();
    assertThat(search(body).toString()).isEqualTo(json.replace("\"", "").replace(":", "="));
  }

  @Test
  void leavesErrorsToTheParserOfTheSearch() throws IOException {
    ExportBody broken = read("{\"query\":");

    assertThat(broken.cursor()).isNull();
    assertThatThrownBy(() -> search(broken)).isInstanceOf(Exception.class);
  }

  @Test
  void readsARequestWithoutABody() throws IOException {
    ExportBody none = read(TestExchange.of("GET", "/_weir/export"));
    boolean[] isCalled = {false};
    none.parseSearch(parser -> {
      isCalled[0] = true;
      assertThat(parser).isNull();
    });

    assertThat(none.cursor()).isNull();
    assertThat(isCalled[0]).isTrue();
  }
}
