package dev.weir.testkit.secured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateAuthorityTest {
  private static final int TIMEOUT_MILLIS = 60_000;

  @TempDir private static Path folder;
  private static CertificateAuthority authority;
  private static IssuedCertificate node;
  private static IssuedCertificate client;

  @BeforeAll
  static void issueCertificates() {
    authority = CertificateAuthority.open(folder);
    node = authority.issue("node");
    client = authority.issue("client");
  }

  @Test
  void issueCertificatesThatTheAuthorityHasSigned() throws Exception {
    X509Certificate issuer = read(authority.certificateFile());
    X509Certificate issued = read(node.certificateFile());
    issued.verify(issuer.getPublicKey());
    issued.checkValidity();
    assertThat(issued.getSubjectX500Principal().getName()).isEqualTo("CN=node");
    assertThat(node.subject()).isEqualTo("CN=node");
    assertThat(issuer.getBasicConstraints()).isNotNegative();
    assertThat(issued.getBasicConstraints()).isNegative();
    assertThat(Files.readString(node.keyFile())).startsWith("-----BEGIN PRIVATE KEY-----\n");
  }

  @Test
  void authenticateBothEndsOfAConnection() throws Exception {
    assertThat(peerOfServer(authority.clientTls(client), false)).isEqualTo("CN=client");
  }

  @Test
  void leaveAClientWithoutCertificateUnauthenticated() throws Exception {
    assertThat(peerOfServer(authority.clientTls(null), true)).isNull();
  }

  @Test
  void trustNoOtherAuthority(@TempDir Path elsewhere) {
    SSLContext stranger = CertificateAuthority.open(elsewhere).clientTls(null);
    assertThatThrownBy(() -> peerOfServer(stranger, true)).isInstanceOf(IOException.class);
  }

  @Test
  void useWhatTheFolderHasAgain() throws Exception {
    X509Certificate before = read(node.certificateFile());
    IssuedCertificate again = CertificateAuthority.open(folder).issue("node");
    assertThat(again).isEqualTo(node);
    assertThat(read(again.certificateFile())).isEqualTo(before);
  }

  /** Connects to a server with the node's certificate; returns whom the server saw. */
  private static @Nullable String peerOfServer(SSLContext tls, boolean anonymous) throws Exception {
    try (SSLServerSocket server =
        (SSLServerSocket)
            authority
                .clientTls(node)
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(TIMEOUT_MILLIS);
      server.setNeedClientAuth(!anonymous);
      try (SSLSocket socket =
              (SSLSocket)
                  tls.getSocketFactory()
                      .createSocket(server.getInetAddress(), server.getLocalPort());
          SSLSocket accepted = (SSLSocket) server.accept()) {
        socket.setSoTimeout(TIMEOUT_MILLIS);
        accepted.setSoTimeout(TIMEOUT_MILLIS);
        Thread handshake = Thread.ofVirtual().start(() -> greet(accepted));
        socket.getSession();
        if (socket.getInputStream().read() != 'x') {
          throw new IOException("the connection ended during the handshake");
        }
        handshake.join();
        // otherwise the end that is closed first waits for the other one
        socket.shutdownOutput();
        accepted.shutdownOutput();
        return anonymous ? null : accepted.getSession().getPeerPrincipal().getName();
      }
    }
  }

  private static void greet(SSLSocket accepted) {
    try {
      accepted.getOutputStream().write('x');
      accepted.getOutputStream().flush();
    } catch (IOException refused) {
      // the other end reports it
    }
  }

  private static X509Certificate read(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<?> chain = CertificateFactory.getInstance("X.509").generateCertificates(in);
      return (X509Certificate) chain.iterator().next();
    }
  }
}
