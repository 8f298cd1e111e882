package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.TestExchange;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
