package dev.weir.admission.coalesce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.model.HttpExchange;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoalescingKeyFactoryTest {
  private final CoalescingKeyFactory searches =
      new CoalescingKeyFactory(
          new CoalescingPolicy(
              List.of("logs-*", "a.b"), Duration.ofSeconds(1), 10, new ByteSize(20)));

  private static HttpExchange request(String method, String uri, int body, String... headers) {
    return request(method, uri, ByteBuffer.allocate(body), headers);
  }

  private static HttpExchange request(
      String method, String uri, ByteBuffer body, String... headers) {
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    for (int i = 0; i < headers.length; i += 2) {
      entries.add(Map.entry(headers[i], headers[i + 1]));
    }
    return (HttpExchange)
        Proxy.newProxyInstance(
            CoalescingKeyFactoryTest.class.getClassLoader(),
            new Class<?>[] {HttpExchange.class},
            (proxy, asked, arguments) ->
                switch (asked.getName()) {
                  case "method" -> method;
                  case "uri" -> uri;
                  case "body" -> body;
                  case "headers" -> entries;
                  default -> throw new AssertionError("got " + asked + " (expected: the request)");
                });
  }

  /** A request's array goes back to a pool, and then has the body of another one. */
  @Test
  void keysKeepTheBodyOfTheirRequest() {
    ByteBuffer body = ByteBuffer.allocate(3);
    CoalescingKeyFactory.CoalescingKey key =
        searches.createKey(request("POST", "/logs-1/_search", body));
    assertThat(key).isEqualTo(searches.createKey(request("POST", "/logs-1/_search", 3)));
    body.put(0, (byte) 'x');
    assertThat(key).isEqualTo(searches.createKey(request("POST", "/logs-1/_search", 3)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/logs-1/_search",
        "/logs-*/_search",
        "/logs-1,a.b/_search",
        "/logs-/_search?size=3&preference=_local&request_cache&q=a%26b",
        "/a.b/_search?"
      })
  void searchesOfNamedIndicesMayBeShared(String uri) {
    assertThat(searches.createKey(request("GET", uri, 20))).isNotNull();
    assertThat(searches.createKey(request("POST", uri, 0))).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_search",
        "//_search",
        "/other/_search",
        "/aXb/_search",
        "/logs-1,other/_search",
        "/logs-1,-logs-2/_search",
        "/logs-1,/_search",
        "/*/_search",
        "/logs-%31/_search",
        "/<logs-{now}>/_search",
        "/logs-1:logs-1/_search",
        "/logs-1/_search/",
        "/logs-1/_doc/_search",
        "/logs-1/_count",
        "/logs-1/_msearch",
        "/logs-1/_search/scroll",
        "/logs-1/_search?scroll=1m",
        "/logs-1/_search?size=3;scroll=1m",
        "/logs-1/_search?search_pipeline=p",
        "/logs-1/_search?sc%72oll=1m",
        "/logs-1/_search?size=1&unknown=1"
      })
  void everythingElseRunsByItself(String uri) {
    assertThat(searches.createKey(request("GET", uri, 0))).isNull();
  }

  @Test
  void doNotCoalesceOtherMethodsAndLongBodies() {
    assertThat(searches.createKey(request("HEAD", "/logs-1/_search", 0))).isNull();
    assertThat(searches.createKey(request("PUT", "/logs-1/_search", 0))).isNull();
    assertThat(searches.createKey(request("POST", "/logs-1/_search", 21))).isNull();
  }

  @Test
  void headersMakeADifferenceUnlessTheyAreKnownNotTo() {
    CoalescingKeyFactory.CoalescingKey plain =
        searches.createKey(request("GET", "/logs-1/_search", 0, "Accept", "a", "B", "b"));
    assertThat(
            searches.createKey(
                request(
                    "GET",
                    "/logs-1/_search",
                    0,
                    "X-Request-Id",
                    "0123456789abcdef0123456789abcdef",
                    "b",
                    "b",
                    "X-Opaque-Id",
                    "me",
                    "accept",
                    "a",
                    "User-Agent",
                    "curl")))
        .isEqualTo(plain);
    assertThat(searches.createKey(request("GET", "/logs-1/_search", 0, "Accept", "b", "B", "b")))
        .isNotEqualTo(plain);
    assertThat(searches.createKey(request("GET", "/logs-1/_search", 0, "Accept", "a")))
        .isNotEqualTo(plain);
  }

  @Test
  void doNotCoalesceRequestsThatANodeMayReject() {
    assertThat(searches.createKey(request("GET", "/logs-1/_search", 0, "X-Request-Id", "odd")))
        .isNull();
    assertThat(
            searches.createKey(
                request("GET", "/logs-1/_search", 0, "X-Opaque-Id", "a", "X-Opaque-Id", "b")))
        .isNull();
  }

  @Test
  void doNotCoalesceRequestsForAnExplanation() {
    assertThat(searches.createKey(request("GET", "/logs-1/_search", 0, "X-Weir-Explain", "true")))
        .isNull();
  }

  @Test
  void coalesceNothingByDefault() {
    CoalescingKeyFactory none = new CoalescingKeyFactory(CoalescingPolicy.DEFAULT);
    assertThat(none.isEnabled()).isFalse();
    assertThat(none.createKey(request("GET", "/logs-1/_search", 0))).isNull();
  }
}
