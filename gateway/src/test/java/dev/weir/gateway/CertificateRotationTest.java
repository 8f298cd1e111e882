package dev.weir.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.network.SelfSignedCertificate;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificates of the client port, on real connections. */
final class CertificateRotationTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @TempDir private static Path sources;

  private static SelfSignedCertificate first;
  private static SelfSignedCertificate second;
  private static SelfSignedCertificate client;

  @TempDir private Path folder;

  @BeforeAll
  static void makeCertificates() throws Exception {
    first = SelfSignedCertificate.create(sources, "first");
    second = SelfSignedCertificate.create(sources, "second");
    client = SelfSignedCertificate.create(sources, "client");
  }

  private Gateway start(String http) throws Exception {
    install(first);
    GatewayPolicy policy =
        TestPolicies.parse(
            """
            clusters: {main: {seeds: ["127.0.0.1:1"]}}
            admin: {listen: "127.0.0.1:0"}
            http:
              listen: 127.0.0.1:0
              tls: {enabled: true, certificate-file: "%s", key-file: "%s"}
              %s
            """
                .formatted(folder.resolve("tls.crt"), folder.resolve("tls.key"), http));
    return Gateway.start(policy);
  }

  private void install(SelfSignedCertificate certificate) throws IOException {
    replace("tls.crt", certificate.certificateFile());
    replace("tls.key", certificate.keyFile());
  }

  private void replace(String name, String by) throws IOException {
    Files.copy(Path.of(by), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
  }

  private static SSLContext context(@Nullable SelfSignedCertificate own) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("first", first.keys().getCertificate("gateway"));
    trusted.setCertificateEntry("second", second.keys().getCertificate("gateway"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManager[] keys = new KeyManager[0];
    if (own != null) {
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(own.keys(), SelfSignedCertificate.PASSWORD.toCharArray());
      keys = factory.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trust.getTrustManagers(), null);
    return context;
  }

  private static SSLSocket connect(Gateway gateway, @Nullable SelfSignedCertificate own)
      throws Exception {
    InetSocketAddress address = gateway.restAddress();
    SSLSocket socket =
        (SSLSocket)
            context(own).getSocketFactory().createSocket(address.getAddress(), address.getPort());
    socket.setSoTimeout(Math.toIntExact(TIMEOUT.toMillis()));
    return socket;
  }

  /** Returns the status line; the gateway has no cluster, so that is an error of its own. */
  private static String request(SSLSocket socket) throws IOException {
    socket
        .getOutputStream()
        .write("HEAD /index HTTP/1.1\r\nHost: gateway\r\n\r\n".getBytes(US_ASCII));
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + head);
      }
      head.append((char) next);
    }
    return head.substring(0, head.indexOf("\r\n"));
  }

  private static Principal presented(Gateway gateway) throws Exception {
    try (SSLSocket socket = connect(gateway, null)) {
      assertThat(request(socket)).startsWith("HTTP/1.1 ");
      return socket.getSession().getPeerPrincipal();
    }
  }

  private static void await(String what, Supplier<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.get()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      Thread.sleep(20);
    }
  }

  private static String admin(Gateway gateway, String path) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort() + path);
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void loseNoRequestWhileFilesAreReplaced() throws Exception {
    try (Gateway gateway = start("");
        SSLSocket live = connect(gateway, null)) {
      assertThat(request(live)).startsWith("HTTP/1.1 ");
      AtomicBoolean stopped = new AtomicBoolean();
      AtomicInteger served = new AtomicInteger();
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      List<Thread> load =
          List.of(
              Thread.startVirtualThread(() -> connectUntil(stopped, gateway, served, failure)),
              Thread.startVirtualThread(() -> connectUntil(stopped, gateway, served, failure)));
      for (SelfSignedCertificate next : List.of(second, first, second)) {
        Principal subject = subjectOf(next);
        install(next);
        await(
            "a handshake with " + subject,
            () -> {
              try {
                return presented(gateway).equals(subject);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
        assertThat(request(live)).as("a request on an open connection").startsWith("HTTP/1.1 ");
        assertThat(live.getSession().getPeerPrincipal()).isEqualTo(subjectOf(first));
      }
      stopped.set(true);
      for (Thread thread : load) {
        thread.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(served.get()).isPositive();
      assertThat(admin(gateway, "/metrics"))
          .contains("weir_tls_reloads_total{section=\"http.tls\"} 3")
          .contains("weir_tls_files_rejected{section=\"http.tls\"} 0")
          .contains("weir_tls_certificate_expiry_timestamp_seconds{section=\"http.tls\"}");
    }
  }

  private static Principal subjectOf(SelfSignedCertificate certificate) throws Exception {
    return ((X509Certificate) certificate.keys().getCertificate("gateway"))
        .getSubjectX500Principal();
  }

  private static void connectUntil(
      AtomicBoolean stopped,
      Gateway gateway,
      AtomicInteger served,
      AtomicReference<@Nullable Throwable> failure) {
    try {
      while (!stopped.get()) {
        presented(gateway);
        served.incrementAndGet();
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  @Test
  void keepTheCertificateWhileAFileIsBroken() throws Exception {
    try (Gateway gateway = start("")) {
      Files.writeString(folder.resolve("tls.crt"), "no certificate");
      await("the problem", () -> admin(gateway, "/readyz").contains("rejected_configuration"));
      assertThat(admin(gateway, "/readyz")).contains("http.tls: got no certificates in ");
      assertThat(admin(gateway, "/metrics"))
          .contains("weir_tls_files_rejected{section=\"http.tls\"} 1");
      assertThat(presented(gateway)).isEqualTo(subjectOf(first));
      install(second);
      await("the end of the problem", () -> !admin(gateway, "/readyz").contains("rejected_"));
      assertThat(presented(gateway)).isEqualTo(subjectOf(second));
    }
  }

  @Test
  void demandACertificate() throws Exception {
    try (Gateway gateway = start(clientCertificates("required"))) {
      try (SSLSocket known = connect(gateway, client)) {
        assertThat(request(known)).startsWith("HTTP/1.1 ");
      }
      for (SelfSignedCertificate unknown : new SelfSignedCertificate[] {null, second}) {
        try (SSLSocket socket = connect(gateway, unknown)) {
          assertThatThrownBy(() -> request(socket)).isInstanceOf(IOException.class);
        }
      }
    }
  }

  @Test
  void verifyACertificateThatAClientPresents() throws Exception {
    try (Gateway gateway = start(clientCertificates("optional"))) {
      for (SelfSignedCertificate known : new SelfSignedCertificate[] {null, client}) {
        try (SSLSocket socket = connect(gateway, known)) {
          assertThat(request(socket)).startsWith("HTTP/1.1 ");
        }
      }
    }
  }

  private static String clientCertificates(String mode) {
    return "client-certificates: {mode: "
        + mode
        + ", ca-file: \""
        + client.certificateFile()
        + "\", user-attribute: cn}";
  }

  @Test
  void refuseToRenegotiate() throws Exception {
    try (Gateway gateway = start("");
        SSLSocket socket = connect(gateway, null)) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      assertThat(request(socket)).startsWith("HTTP/1.1 ");
      assertThatThrownBy(
              () -> {
                socket.startHandshake();
                request(socket);
              })
          .isInstanceOf(IOException.class);
      assertThat(presented(gateway)).isEqualTo(subjectOf(first));
    }
  }
}
