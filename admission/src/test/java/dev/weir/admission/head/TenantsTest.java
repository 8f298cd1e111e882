package dev.weir.admission.head;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TenantsPolicy.By;
import dev.weir.model.RequestContext;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TenantsTest {
  private static Tenants by(By by, String header, String... patterns) {
    return new Tenants(new TenantsPolicy(by, header, List.of(patterns), Map.of("gold", 4.0)));
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void byDefaultAllAreOneTenants() {
    Tenants none = new Tenants(TenantsPolicy.none());
    assertThat(none.one()).isTrue();
    assertThat(none.of(Head.get("/i/_search").with("Authorization", basic("a:b"))))
        .isEqualTo(RequestContext.DEFAULT_TENANT);
  }

  @Test
  void readsTheHeaderOfThePolicy() {
    Tenants tenants = by(By.HEADER, "X-Tenant");
    assertThat(tenants.one()).isFalse();
    assertThat(tenants.of(Head.get("/").with("X-Tenant", " gold "))).isEqualTo("gold");
    assertThat(tenants.of(Head.get("/").with("X-Tenant", "  "))).isEqualTo("_default");
    assertThat(tenants.of(Head.get("/"))).isEqualTo("_default");
  }

  @Test
  void aNameIsShortAndFitToBeShownAndStillTellsApart() {
    Tenants tenants = by(By.HEADER, "X-Tenant");
    String one = tenants.of(Head.get("/").with("X-Tenant", "t".repeat(5000) + "1"));
    String two = tenants.of(Head.get("/").with("X-Tenant", "t".repeat(5000) + "2"));
    assertThat(one).hasSize(Names.LONGEST).startsWith("ttt").isNotEqualTo(two);
    assertThat(tenants.of(Head.get("/").with("X-Tenant", "a\u0007b"))).startsWith("a?b~");
    assertThat(tenants.of(Head.get("/").with("X-Tenant", "größe"))).isEqualTo("größe");
  }

  @Test
  void namesTheUserOfBasicCredentialsAndNeverTheSecret() {
    Tenants tenants = by(By.USER, "");
    assertThat(tenants.of(Head.get("/").with("Authorization", basic("ann:pass:word"))))
        .isEqualTo("ann");
    assertThat(tenants.of(Head.get("/").with("Authorization", "BASIC " + basic("b:").substring(6))))
        .isEqualTo("b");
    String bearer = tenants.of(Head.get("/").with("Authorization", "Bearer s3cr3t"));
    assertThat(bearer).matches("bearer:[0-9a-f]{16}");
    assertThat(tenants.of(Head.get("/").with("Authorization", "Bearer s3cr3t2")))
        .isNotEqualTo(bearer);
  }

  @Test
  void credentialsThatNameNobodyAreNobodys() {
    Tenants tenants = by(By.USER, "");
    for (String odd : List.of("", " ", "Basic", "Basic !!", basic(":p"), basic("nocolon"), "x")) {
      assertThat(tenants.of(Head.get("/").with("Authorization", odd))).isEqualTo("_default");
    }
  }

  @Test
  void aProxysHeaderGoesBeforeTheCredentialsWhereThePolicyNamesOne() {
    Tenants tenants = by(By.USER, "x-proxy-user");
    assertThat(tenants.of(Head.get("/").with("x-proxy-user", "carl"))).isEqualTo("carl");
    assertThat(tenants.of(Head.get("/").with("Authorization", basic("ann:p")))).isEqualTo("ann");
    assertThat(by(By.USER, "").of(Head.get("/").with("x-proxy-user", "carl")))
        .isEqualTo("_default");
  }

  @Test
  void takesTheFirstIndexOrTheFirstPatternThatOneMatches() {
    Tenants plain = by(By.INDEX, "");
    assertThat(plain.of(Head.get("/logs-1,shop/_search?q=a/b"))).isEqualTo("logs-1");
    assertThat(plain.of(Head.get("/_search"))).isEqualTo("_default");
    Tenants patterns = by(By.INDEX, "", "shop*", "logs-*");
    assertThat(patterns.of(Head.get("/logs-1,shop/_search"))).isEqualTo("shop*");
    assertThat(patterns.of(Head.get("/logs-1/_doc/1"))).isEqualTo("logs-*");
    assertThat(patterns.of(Head.get("/other/_doc/1"))).isEqualTo("_default");
    assertThat(patterns.of(Head.get("/_bulk"))).isEqualTo("_default");
  }

  @Test
  void takesTheAddressOfIpv6ByItsNetwork() throws Exception {
    Tenants tenants = by(By.CLIENT_ADDRESS, "");
    assertThat(tenants.of(Head.get("/"))).isEqualTo("127.0.0.1");
    String one = tenants.of(Head.get("/").from(new InetSocketAddress("2001:db8::1", 1)));
    assertThat(one).isEqualTo("2001:0db8:0000:0000::/64");
    assertThat(tenants.of(Head.get("/").from(new InetSocketAddress("2001:db8::2:3", 1))))
        .isEqualTo(one);
    assertThat(tenants.of(Head.get("/").from(InetSocketAddress.createUnresolved("h", 1))))
        .isEqualTo("_default");
  }

  @Test
  void whoIsNotNamedWeighsOne() {
    TenantsPolicy policy = new TenantsPolicy(By.NONE, "", List.of(), Map.of("gold", 4.0));
    assertThat(policy.weight("gold")).isEqualTo(4);
    assertThat(policy.weight("_default")).isEqualTo(1);
  }
}
