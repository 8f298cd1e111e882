package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.parameters.JsonContentParameters;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.rest.RestRequest;

class JsonContentParametersTest {
  private static @Nullable Map<String, String> of(TestExchange exchange) {
    return JsonContentParameters.of(request(exchange));
  }

  private static RestRequest request(TestExchange exchange) {
    return RestRequest.request(
        RestDispatcherFixture.REGISTRIES.xContents(), new ExchangeHttpRequest(exchange), null);
  }

  @Test
  void copyTheParameters() {
    RestRequest request = request(TestExchange.of("GET", "/a/_search?pretty&size=3&format=json"));

    Map<String, String> params = JsonContentParameters.of(request);
    request.params().put("index", "a");

    assertThat(params).isEqualTo(Map.of("pretty", "", "size", "3", "format", "json"));
  }

  @Test
  void shareTheMapOfNoParameters() {
    assertThat(of(TestExchange.of("GET", "/a/_search").header("Accept", "application/json")))
        .isSameAs(Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"yaml", "application/YAML", "application/cbor;q=0.5", "a,Smile"})
  void returnNullForOtherContentTypes(String type) {
    assertThat(of(TestExchange.of("GET", "/a?format=" + type))).isNull();
    assertThat(of(TestExchange.of("GET", "/a").header("accept", type))).isNull();
  }

  @Test
  void returnNullForABodyOfAnotherContentType() {
    TestExchange yaml =
        TestExchange.of("POST", "/a").header("Content-Type", "application/yaml").body("a: 1");

    assertThat(of(yaml)).isNull();
    assertThat(of(TestExchange.of("POST", "/a").json("{}"))).isEmpty();
  }
}
