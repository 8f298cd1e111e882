package dev.weir.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.http.identity.CertificateIdentityExtractor;
import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.HttpSecurity;
import dev.weir.model.IpNetworks;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a node learns about a client from its certificate. */
class ClientCertificateTest {
  @TempDir private static Path folder;

  private static KeytoolCertificate gateway;
  private static KeytoolCertificate alice;

  private final BlockingQueue<ScriptedNode.Request> received = new LinkedBlockingQueue<>();

  @BeforeAll
  static void createCertificates() throws Exception {
    gateway = KeytoolCertificate.create(folder, "gateway", "CN=gateway");
    alice = KeytoolCertificate.create(folder, "alice", "CN=alice, OU=readers, O=Weir");
  }

  private ScriptedNode node() throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        received.add(conversation.read());
        conversation.answer(200, "from the node");
      }
    });
  }

  private static HttpServerFixture start(ScriptedNode node, String trustedProxy) throws Exception {
    SslContext tls =
        SslContextBuilder.forServer(gateway.keys())
            .trustManager(alice.certificate())
            .clientAuth(ClientAuth.OPTIONAL)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1))
            .build();
    return new HttpServerFixture.Setup()
        .passThrough(node.address())
        .security(
            new HttpSecurity(
                () -> tls,
                new IdentityHeaderRules(
                    IpNetworks.of(List.of(trustedProxy)),
                    List.of(),
                    new CertificateIdentityExtractor("cn", "ou", "x-proxy-user", "x-proxy-roles"))))
        .start();
  }

  private static HttpClient client(HttpClient.Version version, boolean withCertificate)
      throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        withCertificate ? alice.keys().getKeyManagers() : new KeyManager[0],
        gateway.trust().getTrustManagers(),
        null);
    return HttpClient.newBuilder().version(version).sslContext(context).build();
  }

  /** Sends two requests that claim to be the admin; returns the second as a node receives it. */
  private ScriptedNode.Request send(HttpServerFixture rig, HttpClient client) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + rig.address.getPort() + "/i"))
            .header("x-proxy-user", "admin")
            .header("X-Proxy-Roles", "all_access")
            .build();
    for (int times = 0; times < 2; times++) {
      assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .isEqualTo("from the node");
    }
    received.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    ScriptedNode.Request second =
        received.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(second).isNotNull();
    return second;
  }

  @Test
  void nameTheUserOfTheCertificate() throws Exception {
    for (HttpClient.Version version :
        List.of(HttpClient.Version.HTTP_1_1, HttpClient.Version.HTTP_2)) {
      try (ScriptedNode node = node();
          HttpServerFixture rig = start(node, "192.0.2.1");
          HttpClient client = client(version, true)) {
        assertThat(send(rig, client).headers())
            .containsEntry("x-proxy-user", "alice")
            .containsEntry("x-proxy-roles", "readers")
            .containsEntry("X-Forwarded-For", "127.0.0.1");
      }
    }
  }

  @Test
  void nameNobodyWithoutACertificate() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node, "192.0.2.1");
        HttpClient client = client(HttpClient.Version.HTTP_2, false)) {
      assertThat(send(rig, client).headers()).doesNotContainKeys("x-proxy-user", "x-proxy-roles");
    }
  }

  @Test
  void letATrustedProxyNameTheUser() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node, "127.0.0.1");
        HttpClient client = client(HttpClient.Version.HTTP_1_1, true)) {
      assertThat(send(rig, client).headers())
          .containsEntry("x-proxy-user", "admin")
          .containsEntry("x-proxy-roles", "all_access");
    }
  }

  /** A port scan must not fill the log. */
  @Test
  void logAFailedHandshakeInOneLine() throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger server = (Logger) LoggerFactory.getLogger(ServerChannelInitializer.class);
    server.setLevel(Level.INFO);
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node, "192.0.2.1");
        Socket plain = new Socket(rig.address.getAddress(), rig.address.getPort())) {
      root.addAppender(log);
      plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      plain.setSoTimeout((int) TimeUnit.SECONDS.toMillis(HttpServerFixture.PATIENCE_SECONDS));
      plain.getInputStream().readAllBytes();
    } finally {
      root.detachAppender(log);
      server.setLevel(null);
    }
    // Netty may log the end of another test's event loops meanwhile
    assertThat(
            log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .filter(event -> event.getLoggerName().startsWith("dev.weir")))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getFormattedMessage()).contains("TLS handshake with", "NotSslRecord");
          assertThat(event.getThrowableProxy()).isNull();
        });
  }
}
