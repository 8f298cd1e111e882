package dev.weir.it.bluegreen;

import dev.weir.it.TestBed;
import dev.weir.it.faults.JsonResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** A client of a gateway that sends additional headers. */
final class HeaderClient implements AutoCloseable {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final TestBed bed;

  HeaderClient(TestBed bed) {
    this.bed = bed;
  }

  /**
   * Sends a request.
   *
   * @param body empty for none
   * @param headers names and values in turn
   */
  JsonResponse send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(bed.uri().resolve(path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
      return JsonResponse.of(answer.statusCode(), answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
