package dev.weir.gateway.network;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.gateway.admin.AdminAccess;
import dev.weir.gateway.admin.AdminRouter;
import dev.weir.gateway.admin.AdminServer;
import dev.weir.gateway.admin.AdminServerOptions;
import dev.weir.gateway.admin.AdminSite;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin port with TLS: a token, a client certificate, or neither. */
final class AdminTlsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private static final CertificateWatcher certificates = new CertificateWatcher();

  @TempDir private static Path folder;

  private static SelfSignedCertificate certificate;
  private static AdminServer server;

  @BeforeAll
  static void start() throws Exception {
    certificate = SelfSignedCertificate.create(folder);
    AdminPolicy policy =
        TestPolicies.parse(
                """
                clusters: {main: {seeds: ["127.0.0.1:1"]}}
                admin:
                  listen: 0.0.0.0:0
                  token: correct-horse-battery
                  client-ca-file: %1$s
                  tls: {enabled: true, certificate-file: %1$s, key-file: %2$s}
                """
                    .formatted(certificate.certificateFile(), certificate.keyFile()))
            .admin();
    AdminRouter pages =
        AdminRouter.builder().get("/stats", () -> AdminResponse.text(200, "figures\n")).build();
    server =
        AdminServer.start(
            new InetSocketAddress(LOOPBACK, 0),
            new AdminSite(pages, AdminRouter.builder().build(), AdminAccess.of(() -> policy)),
            AdminServerOptions.forOperators(
                new TlsContextFactory(certificates).adminContext(policy)));
  }

  @AfterAll
  static void stop() {
    server.close();
    certificates.close();
  }

  private static SSLContext client(boolean withCertificate) throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(certificate.keys());
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(certificate.keys(), SelfSignedCertificate.PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        withCertificate ? keys.getKeyManagers() : new KeyManager[0],
        trust.getTrustManagers(),
        null);
    return context;
  }

  private static String get(Socket socket, String... headers) throws IOException {
    String head =
        "GET /stats HTTP/1.1\r\nConnection: close\r\n" + String.join("", headers) + "\r\n";
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    String response = new String(socket.getInputStream().readAllBytes(), US_ASCII);
    return response.isEmpty() ? "closed" : response.split(" ")[1];
  }

  @Test
  void admitAClientCertificate() throws Exception {
    try (Socket socket =
        client(true).getSocketFactory().createSocket(LOOPBACK, server.address().getPort())) {
      assertThat(get(socket)).isEqualTo("200");
    }
  }

  @Test
  void askForTheTokenWithoutACertificate() throws Exception {
    try (Socket socket =
        client(false).getSocketFactory().createSocket(LOOPBACK, server.address().getPort())) {
      assertThat(get(socket)).isEqualTo("401");
    }
    try (Socket socket =
        client(false).getSocketFactory().createSocket(LOOPBACK, server.address().getPort())) {
      assertThat(get(socket, "Authorization: Bearer correct-horse-battery\r\n")).isEqualTo("200");
    }
  }

  @Test
  void refusePlainRequests() throws Exception {
    try (Socket socket = new Socket(LOOPBACK, server.address().getPort())) {
      assertThat(get(socket, "Authorization: Bearer correct-horse-battery\r\n"))
          .isNotEqualTo("200");
    }
  }
}
