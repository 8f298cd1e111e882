package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.fixtures.TestExchange;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.http.HttpChannel;
import org.opensearch.rest.RestRequest;

class ExchangeHttpRequestTest {
  @ParameterizedTest
  @CsvSource({
    "_opendistro_,true",
    "_OpenDistro_security_user,true",
    "opendistro_security_dls,true",
    "OPENDISTRO_SECURITY_,true",
    "_opensearch_security_x,true",
    "_opendistro,false",
    "opendistro_securit,false",
    "x_opendistro_security_,false",
    "opensearch_security_,false",
    "Authorization,false",
    "'',false"
  })
  void recognizeHeadersOfNodesInAnyCase(String name, boolean internal) {
    assertThat(ExchangeHttpRequest.isNodeInternal(name)).isEqualTo(internal);
  }

  @Test
  void collectTheValuesOfAHeaderInOrder() {
    ExchangeHttpRequest request =
        new ExchangeHttpRequest(
            TestExchange.of("GET", "/")
                .header("X-A", "1")
                .header("x-a", "2")
                .header("_OPENDISTRO_security_roles", "admin")
                .header("B", "3"));

    assertThat(request.getHeaders()).isEqualTo(Map.of("B", List.of("3"), "X-A", List.of("1", "2")));
    assertThat(request.getHeaders().get("x-A")).containsExactly("1", "2");
    assertThat(request.getHeaders().get("missing")).isEmpty();
  }

  private static final NamedXContentRegistry XCONTENTS =
      RestDispatcherFixture.REGISTRIES.xContents();

  @SuppressWarnings("NullAway") // a request only keeps it
  private static final HttpChannel NO_CHANNEL = null;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=utf-8",
        "application/json; charset=UTF-8",
        "application/json;charset=UTF-8",
        "application/x-ndjson",
        "application/x-ndjson; charset=utf-8",
        "Application/JSON",
        "application/json ; a=b",
        "application/yaml",
        "application/cbor",
        "text/plain",
        "application/unknown"
      })
  void parseTheContentTypeLikeANode(String type) {
    TestExchange exchange = TestExchange.of("POST", "/a?b=c").header("content-TYPE", type);

    RestRequest expected =
        RestRequest.request(XCONTENTS, new ExchangeHttpRequest(exchange), NO_CHANNEL);
    RestRequest parsed = new ExchangeHttpRequest(exchange).parse(XCONTENTS, NO_CHANNEL);

    assertThat(parsed.getMediaType()).isSameAs(expected.getMediaType());
    assertThat(parsed.header("Content-Type")).isEqualTo(type);
    assertThat(parsed.getHeaders()).hasToString(expected.getHeaders().toString());
    assertThat(parsed.params()).isEqualTo(Map.of("b", "c"));
  }

  @Test
  void parseARequestWithoutContentType() {
    RestRequest parsed =
        new ExchangeHttpRequest(TestExchange.of("GET", "/a")).parse(XCONTENTS, NO_CHANNEL);

    assertThat(parsed.getMediaType()).isNull();
    assertThat(parsed.getHeaders()).isEmpty();
  }

  @Test
  void rejectSeveralContentTypes() {
    ExchangeHttpRequest request =
        new ExchangeHttpRequest(
            TestExchange.of("POST", "/a")
                .header("Content-Type", "application/json")
                .header("Content-Type", "application/json"));

    assertThatThrownBy(() -> request.parse(XCONTENTS, NO_CHANNEL))
        .isInstanceOf(RestRequest.ContentTypeHeaderException.class);
  }

  @Test
  void keepTheContentTypeOfARequestWithInvalidParameters() {
    ExchangeHttpRequest request =
        new ExchangeHttpRequest(
            TestExchange.of("POST", "/a?b=%zz").header("Content-Type", "application/json"));

    assertThatThrownBy(() -> request.parse(XCONTENTS, NO_CHANNEL))
        .isInstanceOf(RestRequest.BadParameterException.class);
    assertThat(request.getHeaders().get("Content-Type")).containsExactly("application/json");
  }
}
