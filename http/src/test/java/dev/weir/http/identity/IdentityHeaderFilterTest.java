package dev.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.IpNetworks;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityHeaderFilterTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.7", 50_000);
  private static final InetSocketAddress PROXY = new InetSocketAddress("10.1.2.3", 50_000);
  private static final IdentityHeaderRules RULES =
      new IdentityHeaderRules(
          IpNetworks.of(List.of("10.1.0.0/16", "fd00::1")), List.of("X-User"), null);

  private static HttpHeaders filtered(InetSocketAddress peer, boolean http2, String... headers) {
    HttpHeaders all = new DefaultHttpHeaders();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    RULES.filterFor(peer, null).filter(all, http2);
    return all;
  }

  @Test
  void stripInternalHeadersOfEverybody() {
    for (InetSocketAddress peer : List.of(CLIENT, PROXY)) {
      String[] sent = {
        "_OpenDistro_security_user_header", "x",
        "opendistro_security_injected_roles_header", "x",
        "Opendistro_Security_Impersonate_As2", "x",
        "_opensearch_security_anything", "x",
        "x-http2-stream-id", "3",
        "OpenDistro_Security_Impersonate_As", "worker",
        "securitytenant", "own",
        "opendistro", "kept"
      };
      assertThat(filtered(peer, false, sent).names())
          .containsExactly(
              "x-http2-stream-id",
              "OpenDistro_Security_Impersonate_As",
              "securitytenant",
              "opendistro");
      assertThat(filtered(peer, true, sent).names())
          .containsExactly("OpenDistro_Security_Impersonate_As", "securitytenant", "opendistro");
    }
  }

  @Test
  void acceptIdentityHeadersOfTrustedProxiesOnly() {
    String[] sent = {
      "X-Forwarded-For", "198.51.100.1",
      "FORWARDED", "for=198.51.100.1",
      "x-proxy-user", "admin",
      "X-Proxy-Roles", "all",
      "x-proxy-ext-department", "board",
      "x-user", "admin",
      "X-Opaque-Id", "7"
    };
    assertThat(filtered(CLIENT, false, sent).names()).containsExactly("X-Opaque-Id");
    assertThat(filtered(PROXY, false, sent).names()).hasSize(7);
    assertThat(RULES.isTrusted(new InetSocketAddress("fd00::1", 1))).isTrue();
    assertThat(RULES.isTrusted(new InetSocketAddress("fd00::2", 1))).isFalse();
    assertThat(RULES.isTrusted(InetSocketAddress.createUnresolved("10.1.2.3", 1))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'keep-alive, X-Forwarded-For', keep-alive",
    "'x-proxy-user ,X-User', ",
    "opendistro_security_impersonate_as, ",
    "'Upgrade, HTTP2-Settings', 'Upgrade, HTTP2-Settings'",
    "close, close",
  })
  void keepIdentityHeadersThatTheConnectionHeaderNames(String sent, String kept) {
    assertThat(filtered(PROXY, false, "Connection", sent).get("Connection")).isEqualTo(kept);
  }

  @Test
  void keepIdentityHeadersThatASecondConnectionHeaderNames() {
    HttpHeaders headers =
        filtered(CLIENT, false, "Connection", "keep-alive", "Connection", "x-hop, x-forwarded-for");
    assertThat(headers.getAll("Connection")).containsExactly("keep-alive, x-hop");
  }

  @Test
  void appendTheAddressOnce() {
    HttpHeaders headers = new DefaultHttpHeaders();
    ForwardedForAppender.append(headers, CLIENT);
    ForwardedForAppender.append(headers, CLIENT);
    assertThat(headers.entries())
        .extracting(Object::toString)
        .containsExactly("x-forwarded-for=192.0.2.7");
    ForwardedForAppender.append(headers, PROXY);
    assertThat(headers.get("X-Forwarded-For")).isEqualTo("192.0.2.7, 10.1.2.3");
  }

  @Test
  void appendToEveryListThatAProxySent() {
    HttpHeaders headers =
        new DefaultHttpHeaders()
            .add("X-Forwarded-For", "198.51.100.1")
            .add("X-Forwarded-For", "198.51.100.2")
            .add("Forwarded", "for=198.51.100.1;proto=https");
    ForwardedForAppender.append(headers, new InetSocketAddress("2001:db8::1", 1));
    assertThat(headers.getAll("x-forwarded-for"))
        .containsExactly("198.51.100.1, 198.51.100.2, 2001:db8::1");
    assertThat(headers.getAll("forwarded"))
        .containsExactly("for=198.51.100.1;proto=https, for=\"[2001:db8::1]\"");
  }
}
