package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpSecurity;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Http2Test {

  private static HttpServerFixture.Setup echoing() {
    return new HttpServerFixture.Setup()
        .handler(exchange ->
            exchange.respond(
                HttpServerFixture.reply(
                    200,
                    exchange.method()
                        + " "
                        + exchange.uri()
                        + " "
                        + exchange.protocolVersion()
                        + " "
                        + HttpServerFixture.bodyOf(exchange))));
  }

  private static HttpClient client() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
  }

  private static HttpRequest.Builder request(HttpServerFixture rig, String uri) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.address.getPort() + uri));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws Exception {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void upgradesAPlainConnectionAndKeepsItForManyStreams() throws Exception {
    try (HttpServerFixture rig = echoing().start();
        HttpClient client = client()) {
      assertThat(send(client, request(rig, "/0").build()).body()).isEqualTo("GET /0 HTTP/2.0 ");
      assertThat(rig.log().protocol()).isEqualTo("HTTP/2.0");
      HttpResponse<String> first =
          send(
              client,
              request(rig, "/1?x=y")
                  .header("X-Opaque-Id", "me")
                  .POST(HttpRequest.BodyPublishers.ofString("body"))
                  .build());
      assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(first.body()).isEqualTo("POST /1?x=y HTTP/2.0 body");
      assertThat(first.headers().firstValue("x-opaque-id")).contains("me");
      assertThat(first.headers().firstValue("x-opensearch-version"))
          .contains(HttpServerFixture.VERSION);
      assertThat(first.headers().firstValue("content-length")).contains("" + first.body().length());
      assertThat(rig.log().protocol()).isEqualTo("HTTP/2.0");

      List<CompletableFuture<HttpResponse<String>>> many = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        many.add(
            client.sendAsync(request(rig, "/" + i).build(), HttpResponse.BodyHandlers.ofString()));
      }
      for (int i = 0; i < 50; i++) {
        assertThat(HttpServerFixture.await(many.get(i)).body())
            .isEqualTo("GET /" + i + " HTTP/2.0 ");
        assertThat(many.get(i).join().version()).isEqualTo(HttpClient.Version.HTTP_2);
      }
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @Test
  void hideNettysHeadersFromTheHandler() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        HttpClient client = client()) {
      CompletableFuture<HttpResponse<String>> response =
          client.sendAsync(
              request(rig, "/").header("x-a", "b").build(), HttpResponse.BodyHandlers.ofString());
      HttpExchange exchange = rig.take();
      assertThat(exchange.headers())
          .extracting(header -> header.getKey().toLowerCase(java.util.Locale.ROOT))
          .contains("x-a", "host")
          .noneMatch(name -> name.startsWith("x-http2") || name.equals("transfer-encoding"));
      HttpServerFixture.onHome(
          exchange, () -> exchange.respond(HttpServerFixture.reply(200, "ok")));
      assertThat(HttpServerFixture.await(response).body()).isEqualTo("ok");
    }
  }

  @Test
  void carriesLargeBodiesBothWays() throws Exception {
    byte[] body = new byte[7_000_001];
    new Random(4).nextBytes(body);
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange ->
                    exchange.respond(
                        new dev.weir.model.BufferedResponse(
                            200, "a/b", List.of(), List.of(exchange.body()), () -> {})))
                .start();
        HttpClient client = client()) {
      send(client, request(rig, "/upgrade").build());
      HttpResponse<byte[]> response =
          client.send(
              request(rig, "/").POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.body()).isEqualTo(body);
    }
  }

  @Test
  void keepsAFirstRequestWithABodyOnTheOldProtocol() throws Exception {
    try (HttpServerFixture rig = echoing().start();
        HttpClient client = client()) {
      for (String body : List.of("short", "x".repeat(2 << 20))) {
        HttpResponse<String> response =
            send(client, request(rig, "/").POST(HttpRequest.BodyPublishers.ofString(body)).build());
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        assertThat(response.body()).isEqualTo("POST / HTTP/1.1 " + body);
      }
    }
  }

  @Test
  void encodesAnswersAsTheClientAccepts() throws Exception {
    String text = "some text ".repeat(300_000);
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange -> exchange.respond(HttpServerFixture.reply(200, text)))
                .start();
        HttpClient client = client()) {
      HttpResponse<InputStream> response =
          client.send(
              request(rig, "/").header("Accept-Encoding", "gzip").build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.headers().firstValue("content-encoding")).contains("gzip");
      assertThat(
              new String(
                  new java.util.zip.GZIPInputStream(response.body()).readAllBytes(),
                  StandardCharsets.UTF_8))
          .isEqualTo(text);
    }
  }

  @Test
  void tellsTheHandlerWhenAStreamIsReset() throws Exception {
    CompletableFuture<Void> told = new CompletableFuture<>();
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        HttpClient client = client()) {
      CompletableFuture<HttpResponse<String>> first =
          client.sendAsync(request(rig, "/1").build(), HttpResponse.BodyHandlers.ofString());
      HttpExchange upgraded = rig.take();
      HttpServerFixture.onHome(upgraded, () -> upgraded.respond(HttpServerFixture.reply(200, "1")));
      HttpServerFixture.await(first);
      rig.log();

      CompletableFuture<HttpResponse<String>> second =
          client.sendAsync(request(rig, "/2").build(), HttpResponse.BodyHandlers.ofString());
      HttpExchange exchange = rig.take();
      HttpServerFixture.onHome(exchange, () -> exchange.onDisconnect(() -> told.complete(null)));
      second.cancel(true);
      HttpServerFixture.await(told);
      CompletedRequest log = rig.log();
      assertThat(log.status()).isEqualTo(499);
      assertThat(log.uri()).isEqualTo("/2");
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @Test
  void passesStreamsThroughToANode() throws Exception {
    byte[] body = new byte[3_000_001];
    new Random(6).nextBytes(body);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              while (true) {
                ScriptedNode.Request request = conversation.read();
                assertThat(request.headers().keySet())
                    .noneMatch(name -> name.startsWith("x-http2"));
                conversation.write(
                    "HTTP/1.1 200 OK\r\nX-Line: "
                        + request.line()
                        + "\r\ncontent-length: "
                        + request.body().length
                        + "\r\n\r\n");
                conversation.write(request.body());
              }
            });
        HttpServerFixture rig = new HttpServerFixture.Setup().passThrough(node.address()).start();
        HttpClient client = client()) {
      HttpResponse<String> first = send(client, request(rig, "/a").build());
      assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(first.headers().firstValue("x-line")).contains("GET /a HTTP/1.1");
      for (int i = 0; i < 3; i++) {
        HttpResponse<byte[]> response =
            client.send(
                request(rig, "/b").PUT(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(response.headers().firstValue("x-line")).contains("PUT /b HTTP/1.1");
        assertThat(response.body()).isEqualTo(body);
      }
      assertThat(rig.log().path()).isEqualTo("passthrough");
    }
  }

  @Test
  void refusesALongBody() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 100);
    try (HttpServerFixture rig = echoing().limits(limits).start();
        HttpClient client = client()) {
      send(client, request(rig, "/upgrade").build());
      HttpResponse<String> response =
          send(
              client,
              request(rig, "/")
                  .POST(HttpRequest.BodyPublishers.ofString("x".repeat(1001)))
                  .build());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.statusCode()).isEqualTo(413);
      assertThat(send(client, request(rig, "/after").build()).body())
          .isEqualTo("GET /after HTTP/2.0 ");
    }
  }

  @Test
  void saysGoodbyeAndFinishesStreamsWhenDraining() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        HttpClient client = client()) {
      CompletableFuture<HttpResponse<String>> first =
          client.sendAsync(request(rig, "/1").build(), HttpResponse.BodyHandlers.ofString());
      HttpExchange upgraded = rig.take();
      HttpServerFixture.onHome(upgraded, () -> upgraded.respond(HttpServerFixture.reply(200, "1")));
      HttpServerFixture.await(first);
      CompletableFuture<HttpResponse<String>> second =
          client.sendAsync(request(rig, "/2").build(), HttpResponse.BodyHandlers.ofString());
      HttpExchange exchange = rig.take();
      CompletableFuture<Void> drained =
          rig.server.drain(Duration.ofMinutes(5)).toCompletableFuture();
      HttpServerFixture.onHome(exchange, () -> exchange.respond(HttpServerFixture.reply(200, "2")));

      assertThat(HttpServerFixture.await(second).body()).isEqualTo("2");
      HttpServerFixture.await(drained);
    }
  }

  @Test
  void resetAStreamWhoseNodeFailed() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.answer(200, "ok");
              conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
            });
        HttpServerFixture rig = new HttpServerFixture.Setup().passThrough(node.address()).start();
        HttpClient client = client()) {
      assertThat(send(client, request(rig, "/1").build()).body()).isEqualTo("ok");
      assertThatThrownBy(() -> send(client, request(rig, "/2").build()))
          .isInstanceOf(java.io.IOException.class);
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @Test
  void speaksBothProtocolsOverTls(@TempDir Path folder) throws Exception {
    KeyStore keys = selfSigned(folder);
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, "changeit".toCharArray());
    SslContext tls =
        SslContextBuilder.forServer(own)
            .sslProvider(SslProvider.JDK)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1))
            .build();
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(keys);
    SSLContext clients = SSLContext.getInstance("TLS");
    clients.init(null, trust.getTrustManagers(), null);
    HttpServerFixture.Setup setup = echoing();
    setup.options =
        new HttpOptions(
            HttpLimits.standard(),
            HttpTimeouts.standard(),
            HttpCompression.standard(),
            new HttpSecurity(() -> tls, IdentityHeaderRules.STANDARD),
            () -> HttpServerFixture.VERSION);
    try (HttpServerFixture rig = setup.start()) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        if (version.name().equals("HTTP_3")) {
          continue;
        }
        try (HttpClient client =
            HttpClient.newBuilder().version(version).sslContext(clients).build()) {
          HttpResponse<String> response =
              send(
                  client,
                  HttpRequest.newBuilder(
                          URI.create("https://localhost:" + rig.address.getPort() + "/tls"))
                      .POST(HttpRequest.BodyPublishers.ofString("secret"))
                      .build());
          assertThat(response.version()).isEqualTo(version);
          String spelled = version == HttpClient.Version.HTTP_2 ? "HTTP/2.0" : "HTTP/1.1";
          assertThat(response.body()).isEqualTo("POST /tls " + spelled + " secret");
        }
      }
    }
  }

  private static KeyStore selfSigned(Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "test",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                "changeit")
            .redirectErrorStream(true)
            .start();
    assertThat(keytool.waitFor(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, "changeit".toCharArray());
    }
    return keys;
  }

  @Test
  void acceptHttp2WithPriorKnowledge() throws Exception {
    try (HttpServerFixture rig = echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      wire.send(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
      byte[] frame = new byte[9];
      assertThat(wire.readSome(frame)).isPositive();
      assertThat(frame[3]).as("a SETTINGS frame").isEqualTo((byte) 4);
      // HEADERS of stream 1: indexed :method GET, :scheme http, :path /, literal :authority x.
      byte[] headers = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
      wire.send(new byte[] {0, 0, (byte) headers.length, 1, 5, 0, 0, 0, 1});
      wire.send(headers);

      CompletedRequest log = rig.log();
      assertThat(log.status()).isEqualTo(200);
      assertThat(log.protocol()).isEqualTo("HTTP/2.0");
      assertThat(log.uri()).isEqualTo("/");
    }
  }

  @Test
  void routesStreamsEachTheirOwnWay() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "node")) {
      HttpServerFixture.Setup setup = echoing().passThrough(node.address());
      setup.router =
          (method, uri) ->
              uri.startsWith("/node")
                  ? new RequestRouter.PassThrough("test")
                  : new RequestRouter.Coordinate("test");
      try (HttpServerFixture rig = setup.start();
          HttpClient client = client()) {
        for (int i = 0; i < 10; i++) {
          assertThat(send(client, request(rig, "/node").build()).body()).isEqualTo("node");
          assertThat(send(client, request(rig, "/own").build()).body())
              .isEqualTo("GET /own HTTP/2.0 ");
        }
        InetSocketAddress address = node.address();
        assertThat(rig.targets.outstanding(address)).isZero();
      }
    }
  }
}
