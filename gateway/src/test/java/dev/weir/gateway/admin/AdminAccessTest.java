package dev.weir.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.AdminPolicy;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminAccessTest {
  private static final String TOKEN = "correct-horse-battery";

  private static AdminRequest request(@Nullable String certificate, String... headers) {
    DefaultHttpHeaders all = new DefaultHttpHeaders();
    for (int i = 0; i < headers.length; i += 2) {
      all.set(headers[i], headers[i + 1]);
    }
    return new AdminRequest(
        "GET",
        "/stats",
        "/stats",
        Map.of(),
        all,
        new AdminRequest.Peer("127.0.0.1:50000", certificate));
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  /** The admitted user, or the status of the rejection. */
  private static String outcome(String admin, @Nullable String certificate, String... headers) {
    AdminPolicy policy = AdminTestServers.policy(admin);
    return outcome(AdminAccess.of(() -> policy), request(certificate, headers));
  }

  private static String outcome(AdminAccess access, AdminRequest request) {
    return switch (access.check(request)) {
      case AdminAccess.Decision.Admitted(String user) -> user;
      case AdminAccess.Decision.Rejected rejected -> "" + rejected.response().status();
    };
  }

  @Test
  void admitTheTokenInEitherForm() {
    String admin = "token: " + TOKEN;
    assertThat(outcome(admin, null, "Authorization", "Bearer " + TOKEN)).isEqualTo("token");
    assertThat(outcome(admin, null, "Authorization", "bearer  " + TOKEN)).isEqualTo("token");
    assertThat(outcome(admin, null, "Authorization", basic("alice:" + TOKEN))).isEqualTo("alice");
    assertThat(outcome(admin, null, "Authorization", basic(":" + TOKEN))).isEqualTo("token");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer correct-horse-batterx",
        "Bearer correct-horse-battery2",
        "correct-horse-battery",
        "Basic correct-horse-battery",
        "Basic !!!",
        "Digest correct-horse-battery"
      })
  void rejectOtherCredentials(String authorization) {
    assertThat(outcome("token: " + TOKEN, null, "Authorization", authorization)).isEqualTo("401");
  }

  @Test
  void rejectAWrongPassword() {
    String admin = "token: " + TOKEN;
    assertThat(outcome(admin, null, "Authorization", basic("alice:wrong"))).isEqualTo("401");
    assertThat(outcome(admin, null, "Authorization", basic(TOKEN))).isEqualTo("401");
    assertThat(outcome(admin, null)).isEqualTo("401");
  }

  @Test
  void challengeBrowsersForAPassword() {
    AdminPolicy policy = AdminTestServers.policy("token: " + TOKEN);
    assertThat(AdminAccess.of(() -> policy).check(request(null)))
        .isInstanceOfSatisfying(
            AdminAccess.Decision.Rejected.class,
            rejected ->
                assertThat(rejected.response().headers().get("www-authenticate"))
                    .startsWith("Basic realm="));
  }

  @Test
  void admitAClientCertificateInPlaceOfTheToken() {
    assertThat(outcome("token: " + TOKEN, "CN=operator")).isEqualTo("CN=operator");
  }

  @Test
  void heedAChangedTokenAtOnce() {
    AtomicReference<AdminPolicy> policy =
        new AtomicReference<>(AdminTestServers.policy("token: " + TOKEN));
    AdminAccess access = AdminAccess.of(policy::get);
    AdminRequest request = request(null, "Authorization", "Bearer " + TOKEN);
    assertThat(outcome(access, request)).isEqualTo("token");
    policy.set(AdminTestServers.policy("token: another-horse-battery"));
    assertThat(outcome(access, request)).isEqualTo("401");
  }

  @Test
  void askForNothingWithoutCredentialsInTheConfiguration() {
    assertThat(outcome("", null)).isEqualTo("anonymous");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:9250",
        "a.localhost:9250",
        "127.0.0.1:9250",
        "10.2.3.4",
        "[::1]:9250",
        "[fe80::1]",
        "weir.example.org",
        "Weir.Example.org:9250"
      })
  void admitHostsThatNoWebSiteCanTake(String host) {
    assertThat(outcome("host-names: [weir.example.org]", null, "Host", host))
        .isEqualTo("anonymous");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:9250",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "weir.example.org.evil.example",
        "notlocalhost",
        "[::1",
        "[evil.example]",
        "evil.example#localhost"
      })
  void rejectHostsOfWebSites(String host) {
    assertThat(outcome("host-names: [weir.example.org]", null, "Host", host)).isEqualTo("403");
  }
}
