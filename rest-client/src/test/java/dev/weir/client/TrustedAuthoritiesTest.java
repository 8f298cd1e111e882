package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.secured.CertificateAuthority;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustedAuthoritiesTest {
  @TempDir private Path folder;

  private static SSLContext serverTls(Path keyStore) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keyStore)) {
      keys.load(in, CertificateAuthority.PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, CertificateAuthority.PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    return tls;
  }

  @Test
  void trustTheAuthoritiesOfTheFileAlone() throws Exception {
    CertificateAuthority own = CertificateAuthority.open(folder.resolve("own"));
    CertificateAuthority other = CertificateAuthority.open(folder.resolve("other"));
    Path both = folder.resolve("both.pem");
    Files.writeString(
        both, Files.readString(other.certificateFile()) + Files.readString(own.certificateFile()));
    try (RestEndpointFixture endpoint =
        new RestEndpointFixture(serverTls(own.issue("node").keyStoreFile()))) {
      for (Path trusted : new Path[] {own.certificateFile(), both}) {
        try (RestConnections connections = RestConnections.trusting(trusted)) {
          RestTarget target = new RestTarget(connections, endpoint.uri(), Map.of());
          assertThat(target.send("GET", "/letters/3", null).body()).isEqualTo("xxx");
        }
      }
      for (@Nullable Path trusted : new @Nullable Path[] {other.certificateFile(), null}) {
        try (RestConnections connections = RestConnections.trusting(trusted)) {
          RestTarget target = new RestTarget(connections, endpoint.uri(), Map.of());
          assertThatThrownBy(() -> target.send("GET", "/letters/3", null))
              .isInstanceOf(SSLException.class)
              .hasMessageContaining("none of the trusted authorities signed the certificate")
              .hasMessageContaining("--ca-file");
          assertThatThrownBy(() -> target.get("/letters/3"))
              .isInstanceOf(UnreachableException.class)
              .hasMessageStartingWith("no answer from " + endpoint.uri())
              .hasMessageContaining("--ca-file");
        }
      }
    }
  }

  @Test
  void refuseFilesWithoutCertificates() throws Exception {
    for (String text : new String[] {"", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n"}) {
      Path file = Files.writeString(folder.resolve("ca.pem"), text);
      assertThatThrownBy(() -> RestConnections.trusting(file))
          .isInstanceOf(CertificateException.class)
          .hasMessageStartingWith("got " + file + " (expected: certificates in PEM)");
    }
    assertThatThrownBy(() -> RestConnections.trusting(folder.resolve("missing.pem")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
