package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayParameterStripperTest {
  @ParameterizedTest
  @CsvSource({
    "/_search?trim=a, /_search",
    "/i/_search?trim=a&size=1, /i/_search?size=1",
    "/_search/?q=trim&trim=a, /_search/?q=trim",
    "/_msearch?a&trim=none&b=%20, /_msearch?a&b=%20",
    "/_search?trim, /_search",
    "/_search?trimmed=1, /_search?trimmed=1",
    "/_search?q=trim, /_search?q=trim",
    "/_count?trim=a, /_count?trim=a",
    "/_search/scroll?trim=a, /_search/scroll?trim=a",
    "/i/_search, /i/_search",
    "/i/_search?columnar=false, /i/_search",
    "/i/_search?size=1&columnar=false&trim=a&q=b, /i/_search?size=1&q=b",
    "/i/_search?columnar=true, /i/_search?columnar=true",
    "/i/_search?columnar=falsely, /i/_search?columnar=falsely",
    "/i/_search?q=columnar=false, /i/_search?q=columnar=false",
    "/_msearch?columnar=false&trim=a, /_msearch",
    "/_search/scroll?columnar=false&scroll=1m, /_search/scroll?scroll=1m",
    "/_search/scroll/abc/?columnar=false, /_search/scroll/abc/",
    "/i/_search/scroll?columnar=false, /i/_search/scroll?columnar=false",
    "/i/_count?columnar=false, /i/_count?columnar=false",
    "/i/_search?trim=nulls;size=3, /i/_search?size=3",
    "/i/_search?size=3;trim=nulls, /i/_search?size=3",
    "/i/_search?a=1;trim=b;c=2&d=3, /i/_search?a=1&c=2&d=3",
    "?trim=a, ?trim=a",
    "/?trim=a, /?trim=a",
  })
  void takesThemOutOfSearches(String uri, String onward) {
    assertThat(GatewayParameterStripper.strip(uri)).isEqualTo(onward);
  }
}
