package dev.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A small blocking REST client for setup and inspection; it keeps no connection to a node that has
 * ended.
 */
public final class RestClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

  private final URI base;
  private final RestAccess access;
  private final HttpClient http;

  /**
   * A client of one endpoint.
   *
   * @param base such as {@code http://127.0.0.1:9201}
   */
  public RestClient(URI base) {
    this(base, RestAccess.PLAIN);
  }

  /**
   * A client of one endpoint with credentials.
   *
   * @param base such as {@code https://127.0.0.1:9201}
   * @param access what it trusts, and who it is
   */
  public RestClient(URI base, RestAccess access) {
    this.base = base;
    this.access = access;
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    SSLContext tls = access.tls();
    this.http = (tls == null ? client : client.sslContext(tls)).build();
  }

  /** Returns the endpoint. */
  public URI base() {
    return base;
  }

  /** Sends a request without a body. */
  public RestReply send(String method, String path) {
    return send(method, path, null, "", Map.of());
  }

  /** Sends a request with a JSON body. */
  public RestReply send(String method, String path, String json) {
    return send(method, path, json, Map.of());
  }

  /**
   * Sends a request with a JSON body, or lines of JSON.
   *
   * @param json empty for no body
   * @param headers of this request alone, such as credentials
   */
  public RestReply send(String method, String path, String json, Map<String, String> headers) {
    byte[] body = json.isEmpty() ? null : json.getBytes(StandardCharsets.UTF_8);
    return send(method, path, body, "application/json", headers);
  }

  /** Sends a bulk body. */
  public RestReply bulk(String path, byte[] lines) {
    return send("POST", path, lines, "application/x-ndjson", Map.of());
  }

  private RestReply send(
      String method,
      String path,
      byte @Nullable [] body,
      String contentType,
      Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path)).timeout(REQUEST_TIMEOUT);
    access.headers().forEach(request::header);
    headers.forEach(request::header);
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
          .header("Content-Type", contentType);
    }
    try {
      HttpResponse<byte[]> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new RestReply(
          method + " " + path,
          response.statusCode(),
          new String(response.body(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("no answer to " + method + " " + base.resolve(path), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + method + " " + base.resolve(path), e);
    }
  }

  /** Ends the client's threads and connections. */
  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
