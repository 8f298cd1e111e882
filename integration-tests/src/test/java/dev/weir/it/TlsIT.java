package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients over HTTPS, with a certificate made for the occasion. */
class TlsIT {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private static Path folder;
  private static Path certificate;
  private static Path key;
  private static SSLContext trusting;

  private final DataNodeCluster nodes = SharedCluster.get();

  @BeforeAll
  static void makeCertificate() throws Exception {
    Path store = folder.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "gateway",
                "-keyalg",
                "EC",
                "-dname",
                "CN=gateway",
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.txt").toFile())
            .start();
    assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(keytool.exitValue()).as("keytool").isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    certificate = pem("cert.pem", "CERTIFICATE", keys.getCertificate("gateway").getEncoded());
    key = pem("key.pem", "PRIVATE KEY", keys.getKey("gateway", PASSWORD).getEncoded());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("gateway", keys.getCertificate("gateway"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(null, trust.getTrustManagers(), null);
  }

  private static Path pem(String name, String what, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        folder.resolve(name),
        "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
  }

  @Test
  void servesBothVersionsOfHttpByAlpn() throws Exception {
    try (TestBed bed = encrypted()) {
      for (HttpClient.Version version :
          new HttpClient.Version[] {HttpClient.Version.HTTP_1_1, HttpClient.Version.HTTP_2}) {
        try (HttpClient client =
            HttpClient.newBuilder().version(version).sslContext(trusting).build()) {
          String index = "/tls-" + version.name().toLowerCase(Locale.ROOT);
          HttpResponse<String> created =
              send(client, bed, "PUT", index + "/_doc/1?refresh=true", "{\"n\": 1}");
          assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
          assertThat(created.version()).isEqualTo(version);
          assertThat(send(client, bed, "GET", index + "/_search", "").body())
              .contains("\"hits\":{\"total\":{\"value\":1,");
          assertThat(send(client, bed, "GET", "/_cat/indices" + index, "").body())
              .contains(index.substring(1));
          assertThat(send(client, bed, "GET", "/_nodes/http", "").body())
              .contains("\"publish_address\":\"127.0.0.1:" + bed.uri().getPort() + "\"");
          assertThat(send(client, bed, "DELETE", index, "").statusCode()).isEqualTo(200);
        }
      }
    }
  }

  @Test
  void rejectUntrustedAndPlainConnections() throws Exception {
    try (TestBed bed = encrypted();
        HttpClient distrusting = HttpClient.newHttpClient()) {
      assertThatThrownBy(() -> send(distrusting, bed, "GET", "/", ""))
          .isInstanceOf(IOException.class);
      try (Socket plain = new Socket()) {
        plain.connect(new InetSocketAddress("127.0.0.1", bed.uri().getPort()));
        plain.setSoTimeout(30_000);
        plain
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] said = plain.getInputStream().readAllBytes();
        assertThat(new String(said, StandardCharsets.ISO_8859_1)).doesNotContain("HTTP/1.1");
      }
    }
  }

  private TestBed encrypted() {
    return TestBed.inFrontOf(
        nodes.seeds(),
        "tls: {enabled: true, certificate-file: \""
            + certificate
            + "\", key-file: \""
            + key
            + "\"}");
  }

  private static HttpResponse<String> send(
      HttpClient client, TestBed bed, String method, String path, String json)
      throws IOException, InterruptedException {
    URI uri = URI.create("https://127.0.0.1:" + bed.uri().getPort() + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .method(
                method,
                json.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    if (!json.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
