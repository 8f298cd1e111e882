package dev.weir.admission.head;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TenantsPolicy.TenantSource;
import dev.weir.model.RequestContext;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TenantResolverTest {
  private static TenantResolver by(TenantSource by, String header, String... patterns) {
    return new TenantResolver(
        new TenantsPolicy(by, header, List.of(patterns), Map.of("gold", 4.0)));
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void useOneTenantByDefault() {
    TenantResolver none = new TenantResolver(TenantsPolicy.none());
    assertThat(none.isSingleTenant()).isTrue();
    assertThat(none.resolve(TestRequestHead.get("/i/_search").with("Authorization", basic("a:b"))))
        .isEqualTo(RequestContext.DEFAULT_TENANT);
  }

  @Test
  void readsTheHeaderOfThePolicy() {
    TenantResolver tenants = by(TenantSource.HEADER, "X-Tenant");
    assertThat(tenants.isSingleTenant()).isFalse();
    assertThat(tenants.resolve(TestRequestHead.get("/").with("X-Tenant", " gold ")))
        .isEqualTo("gold");
    assertThat(tenants.resolve(TestRequestHead.get("/").with("X-Tenant", "  ")))
        .isEqualTo("_default");
    assertThat(tenants.resolve(TestRequestHead.get("/"))).isEqualTo("_default");
  }

  @Test
  void shortenAndSanitizeNamesButKeepThemDistinct() {
    TenantResolver tenants = by(TenantSource.HEADER, "X-Tenant");
    String one = tenants.resolve(TestRequestHead.get("/").with("X-Tenant", "t".repeat(5000) + "1"));
    String two = tenants.resolve(TestRequestHead.get("/").with("X-Tenant", "t".repeat(5000) + "2"));
    assertThat(one).hasSize(ClientNameSanitizer.MAX_LENGTH).startsWith("ttt").isNotEqualTo(two);
    assertThat(tenants.resolve(TestRequestHead.get("/").with("X-Tenant", "a\u0007b")))
        .startsWith("a?b~");
    assertThat(tenants.resolve(TestRequestHead.get("/").with("X-Tenant", "größe")))
        .isEqualTo("größe");
  }

  @Test
  void namesTheUserOfBasicCredentialsAndNeverTheSecret() {
    TenantResolver tenants = by(TenantSource.USER, "");
    assertThat(
            tenants.resolve(TestRequestHead.get("/").with("Authorization", basic("ann:pass:word"))))
        .isEqualTo("ann");
    assertThat(
            tenants.resolve(
                TestRequestHead.get("/")
                    .with("Authorization", "BASIC " + basic("b:").substring(6))))
        .isEqualTo("b");
    String bearer =
        tenants.resolve(TestRequestHead.get("/").with("Authorization", "Bearer s3cr3t"));
    assertThat(bearer).matches("bearer:[0-9a-f]{16}");
    assertThat(tenants.resolve(TestRequestHead.get("/").with("Authorization", "Bearer s3cr3t2")))
        .isNotEqualTo(bearer);
  }

  @Test
  void assignCredentialsWithoutANameToTheDefaultTenant() {
    TenantResolver tenants = by(TenantSource.USER, "");
    for (String odd : List.of("", " ", "Basic", "Basic !!", basic(":p"), basic("nocolon"), "x")) {
      assertThat(tenants.resolve(TestRequestHead.get("/").with("Authorization", odd)))
          .isEqualTo("_default");
    }
  }

  @Test
  void preferTheConfiguredHeaderOverCredentials() {
    TenantResolver tenants = by(TenantSource.USER, "x-proxy-user");
    assertThat(tenants.resolve(TestRequestHead.get("/").with("x-proxy-user", "carl")))
        .isEqualTo("carl");
    assertThat(tenants.resolve(TestRequestHead.get("/").with("Authorization", basic("ann:p"))))
        .isEqualTo("ann");
    assertThat(
            by(TenantSource.USER, "")
                .resolve(TestRequestHead.get("/").with("x-proxy-user", "carl")))
        .isEqualTo("_default");
  }

  @Test
  void takesTheFirstIndexOrTheFirstPatternThatOneMatches() {
    TenantResolver plain = by(TenantSource.INDEX, "");
    assertThat(plain.resolve(TestRequestHead.get("/logs-1,shop/_search?q=a/b")))
        .isEqualTo("logs-1");
    assertThat(plain.resolve(TestRequestHead.get("/_search"))).isEqualTo("_default");
    TenantResolver patterns = by(TenantSource.INDEX, "", "shop*", "logs-*");
    assertThat(patterns.resolve(TestRequestHead.get("/logs-1,shop/_search"))).isEqualTo("shop*");
    assertThat(patterns.resolve(TestRequestHead.get("/logs-1/_doc/1"))).isEqualTo("logs-*");
    assertThat(patterns.resolve(TestRequestHead.get("/other/_doc/1"))).isEqualTo("_default");
    assertThat(patterns.resolve(TestRequestHead.get("/_bulk"))).isEqualTo("_default");
  }

  @Test
  void takesTheAddressOfIpv6ByItsNetwork() throws Exception {
    TenantResolver tenants = by(TenantSource.CLIENT_ADDRESS, "");
    assertThat(tenants.resolve(TestRequestHead.get("/"))).isEqualTo("127.0.0.1");
    String one =
        tenants.resolve(TestRequestHead.get("/").from(new InetSocketAddress("2001:db8::1", 1)));
    assertThat(one).isEqualTo("2001:0db8:0000:0000::/64");
    assertThat(
            tenants.resolve(
                TestRequestHead.get("/").from(new InetSocketAddress("2001:db8::2:3", 1))))
        .isEqualTo(one);
    assertThat(
            tenants.resolve(
                TestRequestHead.get("/").from(InetSocketAddress.createUnresolved("h", 1))))
        .isEqualTo("_default");
  }

  @Test
  void weighUnlistedTenantsAsOne() {
    TenantsPolicy policy = new TenantsPolicy(TenantSource.NONE, "", List.of(), Map.of("gold", 4.0));
    assertThat(policy.weightOf("gold")).isEqualTo(4);
    assertThat(policy.weightOf("_default")).isEqualTo(1);
  }
}
