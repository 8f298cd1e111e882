package dev.weir.it.yaml;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.MediaType;

/** Speaks plain HTTP to one base URL. Safe on any thread. */
final class YamlRestClient implements AutoCloseable {
  /**
   * A response.
   *
   * @param status the HTTP status
   * @param body the parsed body; a string for text; empty for none
   * @param text the body as text
   * @param warnings the values of the Warning headers, without code, agent and quotes
   */
  record Answer(int status, @Nullable Object body, String text, List<String> warnings) {}

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();
  private final URI base;

  YamlRestClient(URI base) {
    this.base = base;
  }

  /** Calls an API; throws only without a response. */
  Answer call(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      @Nullable String body) {
    String query =
        parameters.entrySet().stream()
            .map(e -> encode(e.getKey()) + "=" + encode(e.getValue()))
            .collect(Collectors.joining("&"));
    URI uri = URI.create(base + path + (query.isEmpty() ? "" : "?" + query));
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    if (body != null) {
      all.put("Content-Type", "application/json");
    }
    all.putAll(headers);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(60))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    all.forEach(request::header);
    try {
      return answer(http.send(request.build(), BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw new AssertionError("no answer to " + method + " " + uri + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted in " + method + " " + uri, e);
    }
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    http.close();
  }

  private static Answer answer(HttpResponse<byte[]> response) throws IOException {
    byte[] bytes = response.body();
    String text = new String(bytes, StandardCharsets.UTF_8);
    String contentType = response.headers().firstValue("content-type").orElse("");
    MediaType type = MediaType.fromMediaType(contentType);
    Object body = bytes.length == 0 || type == null ? text : XContentJson.value(type, bytes);
    List<String> warnings =
        response.headers().allValues("warning").stream().map(YamlRestClient::warningText).toList();
    return new Answer(response.statusCode(), body, text, warnings);
  }

  private static String warningText(String header) {
    int from = header.indexOf('"');
    int to = header.lastIndexOf('"');
    return from < 0 || to <= from
        ? header
        : header.substring(from + 1, to).replace("\\\"", "\"").replace("\\\\", "\\");
  }
}
