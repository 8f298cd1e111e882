package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretTextTest {
  private static String refusal(Map<String, String> environment, String text) {
    return new PolicyLoader(environment).parse("weir.yaml", text)
            instanceof LoadResult.Invalid refused
        ? refused.render()
        : "";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password: x",
        "passphrase: x",
        "api-key: abc",
        "privateKey: abc",
        "key: abc",
        "credentials: user",
        "headers: {Authorization: \"Basic eA==\"}",
        "Bearer abc",
        "-----BEGIN PRIVATE KEY-----",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
        "value: 5f4dcc3b5aa765d61d8327deb882cf99",
        "endpoint: https://user:hunter2@otel.example.org",
      })
  void recognizeSecrets(String text) {
    assertThat(SecretText.mayContainSecret(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "  listen: 127.0.0.1:9200",
        "  algorithm: roundrobin",
        "  max-connections-per-loop: 12",
        "  key-file: /etc/weir/certificates/tls-2026.key",
        "  authorization: delegate",
        "  authorization: gateway",
        "    seeds: [\"opensearch-headless-0.opensearch.svc.cluster.local:9300\"]",
        "  repair-log-directory: /var/lib/weir/repair",
        "policies: {logs: {traffic: {weights: {green: 1}}}}",
      })
  void showOtherText(String text) {
    assertThat(SecretText.mayContainSecret(text)).isFalse();
  }

  @Test
  void showNoValueOfAnUnknownKey() {
    String problems =
        refusal(
            Map.of(), "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\nhttp:\n  lisen: hunter2\n");
    assertThat(problems).contains("got unknown key 'lisen'", "  3 |   lisen: ...");
    assertThat(problems).doesNotContain("hunter2");
  }

  @Test
  void quoteNoVariableThatMayBeASecret() {
    String problems =
        refusal(
            Map.of("DB_PASSWORD", "hunter2", "NAME", "5f4dcc3b5aa765d61d8327deb882cf99"),
            "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n"
                + "admin:\n  drain-delay: ${DB_PASSWORD}\n  drain-timeout: ${NAME}\n");
    assertThat(problems).contains("drain-delay", "drain-timeout");
    assertThat(problems).doesNotContain("hunter2", "5f4dcc3b");
  }
}
