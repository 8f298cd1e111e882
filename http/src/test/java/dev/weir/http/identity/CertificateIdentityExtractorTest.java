package dev.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificateIdentityExtractorTest {
  private static HttpHeaders headers(String subject, String user, String roles) {
    CertificateIdentity identity =
        new CertificateIdentityExtractor(user, roles, "x-proxy-user", "x-proxy-roles")
            .extract(new X500Principal(subject));
    HttpHeaders headers = new DefaultHttpHeaders();
    if (identity != null) {
      identity.addTo(headers);
    }
    return headers;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CN=alice, OU=readers, OU=writers, O=Weir|cn|ou|alice|readers,writers",
        "CN=alice, OU=readers, O=Weir|CN||alice|",
        "CN=alice, OU=readers, O=Weir|dn||CN=alice,OU=readers,O=Weir|",
        "UID=a7 + CN=alice, O=Weir|uid|cn|a7|alice",
        "EMAILADDRESS=a@example.org, CN=alice|emailaddress||a@example.org|",
        "CN=\"alice, admin\", O=Weir|cn||alice, admin|",
        "CN=bob, CN=alice|cn||bob|",
      })
  void readUserAndRoles(
      String subject, String userAttribute, String rolesAttribute, String user, String roles) {
    HttpHeaders headers =
        headers(subject, userAttribute, rolesAttribute == null ? "" : rolesAttribute);
    assertThat(headers.get("x-proxy-user")).isEqualTo(user);
    assertThat(headers.get("x-proxy-roles")).isEqualTo(roles);
  }

  /** Netty would replace such characters, so that two users would have one name. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CN=J\u00fcrgen, O=Weir",
        "O=Weir",
      })
  void nameNobodyWhomAHeaderCannotCarry(String subject) {
    assertThat(headers(subject, "cn", "o").names()).isEmpty();
  }

  @Test
  void keepAUserApartFromOneWithASpaceAtTheEnd() {
    byte[] commonName = HexFormat.of().parseHex("3011310f300d0603550403130661646d696e20");
    X500Principal admin = new X500Principal(commonName);
    assertThat(admin.getName()).isEqualTo("CN=admin\\ ");
    assertThat(
            new CertificateIdentityExtractor("cn", "", "x-proxy-user", "x-proxy-roles")
                .extract(admin))
        .isNull();
  }

  @Test
  void leaveOutARoleThatWouldBecomeTwo() {
    assertThat(headers("CN=alice, OU=\"readers,all_access\", OU=writers", "cn", "ou"))
        .extracting(header -> header.getKey() + ": " + header.getValue())
        .containsExactly("x-proxy-user: alice", "x-proxy-roles: writers");
  }
}
