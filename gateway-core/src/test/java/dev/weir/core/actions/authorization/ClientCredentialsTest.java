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
  private final CredentialReader reader = new CredentialReader(Set.of());

  private static TestExchange request() {
    return TestExchange.of("GET", "/a/_search").header("Authorization", "Basic YTpi");
  }

  private static ClientCredentials credentials(TestExchange exchange, CredentialReader reader) {
    return Objects.requireNonNull(reader.read(exchange));
  }

  private String fingerprint(TestExchange exchange) {
    return credentials(exchange, reader).fingerprint();
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Amzn-Trace-Id",
        "X-B3-TraceId",
        "X-B3-SpanId",
        "uber-trace-id",
        "X-Cloud-Trace-Context",
        "sentry-trace",
        "baggage",
        "X-Correlation-ID",
        "x-datadog-trace-id"
      })
  void takeEachRequestOfATracedClientForTheSameClient(String name) {
    assertThat(fingerprint(request().header(name, "1")))
        .isEqualTo(fingerprint(request().header(name, "2")));
  }

  @Test
  void ignoreTheHeadersOfTheConfiguration() {
    TestExchange early = request().header("X-Weir-Timeout", "500ms");
    TestExchange late = request().header("X-Weir-Timeout", "300ms");
    assertThat(fingerprint(early)).isNotEqualTo(fingerprint(late));

    reader.updateNeutralHeaders(Set.of("x-weir-timeout"));
    assertThat(fingerprint(early)).isEqualTo(fingerprint(late));
    assertThat(reader.readsAll(Set.of("x-proxy-user"))).isTrue();
    assertThat(reader.readsAll(Set.of("x-weir-timeout"))).isFalse();
    assertThat(reader.readsAll(Set.of("x-request-id"))).isFalse();
  }

  @Test
  void giveEachCheckOfAClientAKeyOfOneLength() {
    ClientCredentials ada = credentials(request(), reader);
    Set<String> keys = new HashSet<>();
    String index = "a".repeat(1_000);
    keys.add(ada.fingerprintWith(PermissionCheck.ofIndex(index)));
    keys.add(ada.fingerprintWith(PermissionCheck.ofDelete(index)));
    keys.add(ada.fingerprintWith(PermissionCheck.ofBulk()));
    ClientCredentials eve = credentials(request().header("Cookie", "a=b"), reader);
    keys.add(eve.fingerprintWith(PermissionCheck.ofBulk()));
    assertThat(keys).hasSize(4).allSatisfy(key -> assertThat(key).hasSize(44));
  }

  @Test
  void keepTheBoundsBetweenHeaders() {
    assertThat(fingerprint(request().header("x-a", "b").header("x-c", "d")))
        .isNotEqualTo(fingerprint(request().header("x-a", "bx-c").header("x-", "d")));
  }

  @Test
  void dependOnTheProcess() {
    ClientCredentials elsewhere = credentials(request(), new CredentialReader(Set.of()));
    assertThat(fingerprint(request())).isNotEqualTo(elsewhere.fingerprint());
  }

  @Test
  void sendTheCredentialsAndNothingElseToNodes() {
    ClientCredentials credentials =
        credentials(request().json("{}").header("Accept", "application/yaml"), reader);
    assertThat(credentials.headers()).isEqualTo(List.of(Map.entry("authorization", "Basic YTpi")));
  }

  @Test
  void refuseARequestThatAsksToRemoveHeaders() {
    assertThat(reader.read(request().header("Connection", "close, Authorization"))).isNull();
    assertThat(reader.read(request().header("Connection", "Keep-Alive"))).isNotNull();
  }

  @Test
  void hideSecretsInText() {
    assertThat(String.valueOf(reader.read(request()))).doesNotContain("YTpi");
  }
}
