package dev.weir.it.columnar;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** A client that reads bytes. */
final class BytesClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final URI base;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A response. */
  record Answer(int status, String type, HttpResponse<byte[]> response) {
    byte[] bytes() {
      return response.body();
    }

    String text() {
      return new String(bytes(), StandardCharsets.UTF_8);
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  BytesClient(URI base) {
    this.base = base;
  }

  Answer search(String path, String body, Map<String, String> headers) {
    return send("POST", path, body, headers);
  }

  Answer send(String method, String path, String body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path))
            .timeout(TIMEOUT)
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    headers.forEach(request::header);
    try {
      HttpResponse<byte[]> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Answer(
          response.statusCode(),
          response.headers().firstValue("Content-Type").orElse(""),
          response);
    } catch (IOException e) {
      throw new AssertionError("no answer to " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted in " + path, e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
