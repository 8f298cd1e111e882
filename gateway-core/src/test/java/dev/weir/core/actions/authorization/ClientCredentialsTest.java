package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.TestExchange;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCredentialsTest {
  private final FingerprintKey key = new FingerprintKey();

  private static TestExchange request() {
    return TestExchange.of("GET", "/a/_search").header("Authorization", "Basic YTpi");
  }

  private static ClientCredentials credentials(TestExchange exchange, FingerprintKey key) {
    return Objects.requireNonNull(ClientCredentials.of(exchange, key));
  }

  private String fingerprint(TestExchange exchange) {
    return credentials(exchange, key).fingerprint();
  }

  @Test
  void takeEqualHeadersForTheSameClient() {
    assertThat(fingerprint(request().header("Accept", "application/json")))
        .isEqualTo(fingerprint(request().header("User-Agent", "curl").header("X-Opaque-Id", "7")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cookie",
        "x-proxy-user",
        "x-proxy-roles",
        "X-Forwarded-For",
        "opendistro_security_impersonate_as",
        "securitytenant",
        "X-Header-Of-Some-Realm"
      })
  void takeAnotherHeaderForAnotherClient(String name) {
    Set<String> fingerprints = new HashSet<>();
    fingerprints.add(fingerprint(request()));
    fingerprints.add(fingerprint(request().header(name, "a")));
    fingerprints.add(fingerprint(request().header(name, "b")));
    fingerprints.add(fingerprint(request().header(name, "a").header(name, "b")));
    fingerprints.add(fingerprint(request().header(name, "b").header(name, "a")));
    assertThat(fingerprints).hasSize(5);
  }

  @Test
  void keepTheBoundsBetweenHeaders() {
    assertThat(fingerprint(request().header("x-a", "b").header("x-c", "d")))
        .isNotEqualTo(fingerprint(request().header("x-a", "bx-c").header("x-", "d")));
  }

  @Test
  void dependOnTheProcess() {
    ClientCredentials elsewhere = credentials(request(), new FingerprintKey());
    assertThat(fingerprint(request())).isNotEqualTo(elsewhere.fingerprint());
  }

  @Test
  void sendTheCredentialsAndNothingElseToNodes() {
    ClientCredentials credentials =
        credentials(request().json("{}").header("Accept", "application/yaml"), key);
    assertThat(credentials.headers()).isEqualTo(List.of(Map.entry("authorization", "Basic YTpi")));
  }

  @Test
  void refuseARequestThatAsksToRemoveHeaders() {
    assertThat(ClientCredentials.of(request().header("Connection", "close, Authorization"), key))
        .isNull();
    assertThat(ClientCredentials.of(request().header("Connection", "Keep-Alive"), key)).isNotNull();
  }

  @Test
  void hideSecretsInText() {
    assertThat(String.valueOf(ClientCredentials.of(request(), key))).doesNotContain("YTpi");
  }
}
