package dev.weir.operate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A REST endpoint that an operation talks to. Safe on any thread.
 *
 * @param client is shared by all endpoints, and not closed here
 * @param base such as {@code http://127.0.0.1:9200}
 * @param headers of each request, such as credentials
 */
public record RestTarget(HttpClient client, URI base, Map<String, String> headers) {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);
  private static final int FIRST_FAILURE = 300;

  /** Without the headers, which may be credentials. */
  @Override
  public String toString() {
    return "RestTarget[base=" + base + "]";
  }

  /** A response. */
  record Response(int status, String body) {
    boolean isSuccess() {
      return status < FIRST_FAILURE;
    }
  }

  /**
   * Sends a request and waits for its response, for a minute at most.
   *
   * @param path with the query
   * @param json null for no body
   */
  Response send(String method, String path, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base.toString() + path)).timeout(REQUEST_TIMEOUT);
    headers.forEach(request::header);
    if (json == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(json));
    }
    HttpResponse<byte[]> response = await(request.build());
    return new Response(response.statusCode(), new String(response.body(), StandardCharsets.UTF_8));
  }

  /** Waits for the whole response: the timeout of a request ends with the response's head. */
  private HttpResponse<byte[]> await(HttpRequest request) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    try {
      return sent.get(REQUEST_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException(
          "no whole response after " + REQUEST_TIMEOUT.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } finally {
      sent.cancel(true);
    }
  }
}
