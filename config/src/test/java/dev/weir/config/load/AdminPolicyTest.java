package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminPolicyTest {
  private static final String TOKEN = "token: correct-horse-battery";

  private String tls = "";

  @BeforeEach
  void writeFiles(@TempDir Path folder) throws IOException {
    Path pem = Files.writeString(folder.resolve("tls.pem"), "certificate");
    tls = "tls: {enabled: true, certificate-file: " + pem + ", key-file: " + pem + "}";
  }

  private static LoadResult parse(String sections) {
    return new PolicyLoader(Map.of())
        .parse("weir.yaml", "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n" + sections);
  }

  private static GatewayPolicy policy(String sections) {
    return switch (parse(sections)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  private static String refusal(String sections) {
    return switch (parse(sections)) {
      case LoadResult.Loaded _ -> throw new AssertionError("got a policy (expected: a refusal)");
      case LoadResult.Invalid refused -> refused.render();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:9250", "127.9.9.9:0", "[::1]:9250", "localhost:9250"})
  void askForNothingOnLoopback(String listen) {
    policy("admin: {listen: \"" + listen + "\"}\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:9250", "10.0.9.1:9250", "[::]:9250", "weir.example.org:9250"})
  void requireCredentialsAndTlsElsewhere(String listen) {
    String admin = "admin:\n  listen: \"" + listen + "\"\n";
    assertThat(refusal(admin))
        .contains("weir.yaml:3:11: ")
        .contains("got " + listen + ", which other machines can reach, without credentials")
        .contains("admin.token or admin.client-ca-file")
        .contains("without TLS");
    assertThat(refusal(admin + "  " + TOKEN + "\n")).contains("without TLS").doesNotContain("cred");
    assertThat(refusal(admin + "  " + tls + "\n")).contains("credentials").doesNotContain("TLS (");
    policy(admin + "  " + TOKEN + "\n  " + tls + "\n");
    policy(admin + "  " + TOKEN + "\n  plaintext-allowed: true\n");
    assertThat(refusal(admin + "  plaintext-allowed: true\n")).contains("credentials");
  }

  @Test
  void acceptAClientCertificateInPlaceOfAToken() {
    String file = tls.replaceAll(".*key-file: (.*)}", "$1");
    policy("admin: {listen: \"0.0.0.0:9250\", client-ca-file: " + file + ", " + tls + "}\n");
    assertThat(refusal("admin: {client-ca-file: " + file + "}\n")).contains("a file without TLS");
    assertThat(refusal("admin: {client-ca-file: /none, " + tls + "}\n")).contains("is not there");
  }

  @Test
  void rejectAWeakTokenWithoutShowingIt() {
    assertThat(refusal("admin:\n  token: hunter2\n"))
        .contains("got 7 characters (expected: 16 or more)")
        .doesNotContain("hunter2");
    assertThat(refusal("admin:\n  token: \"correct horse battery\"\n"))
        .contains("got a space")
        .doesNotContain("horse");
    assertThat(refusal("responses: {export: {cursor-secret: hunter2}}\n"))
        .contains("got 7 characters (expected: 16 or more)")
        .doesNotContain("hunter2");
  }

  @Test
  void neverShowTheToken() {
    GatewayPolicy policy = policy("admin: {" + TOKEN + "}\n");
    assertThat(policy.admin().token()).isEqualTo("correct-horse-battery");
    assertThat(PolicyTree.toMap(policy).toString()).doesNotContain("horse");
  }

  @Test
  void rejectHostNamesWithAPort() {
    assertThat(refusal("admin: {host-names: [\"weir:9250\"]}\n"))
        .contains("got 'weir:9250' (expected: a host name without a port)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2:9250", "weir:9250", "ftp://weir:9250", "http:///readyz"})
  void rejectOtherAdminAddressesThatAreNoUrls(String address) {
    String others = "operations: {other-admin-addresses: [\"%s\", \"%s\"]}\n";
    assertThat(refusal(others.formatted("http://10.0.0.2:9250", address)))
        .contains("got '" + address + "' (expected: a URL such as http://10.0.0.2:9250)")
        .contains("operations.other-admin-addresses[1]")
        .endsWith("1 problem\n");
    policy(others.formatted("http://10.0.0.2:9250", "https://weir.example.org:9250/one"));
  }

  @Test
  void rejectOnePortForTwoPurposes() {
    assertThat(refusal("health: {enabled: true, listen: \"127.0.0.1:9250\"}\n"))
        .contains("health.listen")
        .contains("twice");
    policy("health: {enabled: false, listen: \"127.0.0.1:9250\"}\n");
  }

  @Test
  void rejectUnverifiedNamesOfPublicAuthorities() {
    String cluster = "clusters:\n  main:\n    seeds: [\"127.0.0.1:9301\"]\n    rest-tls:\n";
    String off = "      enabled: true\n      verify-hostname: false\n";
    assertThat(
            new PolicyLoader(Map.of()).parse("weir.yaml", cluster + off)
                    instanceof LoadResult.Invalid refused
                ? refused.render()
                : "")
        .contains("weir.yaml:6:24: got false without ca-file")
        .contains("clusters.main.rest-tls.verify-hostname");
    String file = tls.replaceAll(".*key-file: (.*)}", "$1");
    assertThat(
            new PolicyLoader(Map.of())
                .parse("weir.yaml", cluster + off + "      ca-file: " + file + "\n"))
        .isInstanceOf(LoadResult.Loaded.class);
  }
}
