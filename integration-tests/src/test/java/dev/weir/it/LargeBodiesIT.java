package dev.weir.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bulks of unknown length that are larger than the gateway's buffer. */
class LargeBodiesIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final int DOCUMENTS = 3000;
  private static final int SIZE = 10_000;
  private static final Pattern VARYING = Pattern.compile("\"took\":\\d+|large-[a-z]+");

  private static byte[] bulk;
  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.withSections(NODES.seeds(), "admission: {max-total-body-bytes: 16mb}");
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < DOCUMENTS; n++) {
      lines.append("{\"index\":{\"_id\":\"").append(n).append("\"}}\n{\"n\":").append(n);
      lines.append(",\"text\":\"");
      for (int word = 0; lines.length() < (n + 1L) * SIZE; word++) {
        lines.append(Integer.toString((n + 7) * 31 + word * 17, 36)).append(' ');
      }
      lines.append("\"}\n");
    }
    bulk = lines.toString().getBytes(UTF_8);
    assertThat(bulk.length).isGreaterThan(DOCUMENTS * SIZE - 1);
    for (String index : List.of("large-straight", "large-chunked", "large-gzip")) {
      NODES
          .rest()
          .send(
              "PUT",
              "/" + index,
              """
              {"settings": {"number_of_shards": 2, "number_of_replicas": 0},
               "mappings": {"properties": {
                 "n": {"type": "long"}, "text": {"type": "text", "index": false}}}}
              """)
          .orThrow();
    }
  }

  @AfterAll
  static void end() {
    bed.close();
    NODES.rest().send("DELETE", "/large-straight,large-chunked,large-gzip").orThrow();
  }

  private static HttpResponse<String> send(
      URI base, String index, HttpRequest.BodyPublisher body, String... headers)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(base.resolve("/" + index + "/_bulk?refresh=true"))
              .header("Content-Type", "application/x-ndjson")
              .POST(body);
      if (headers.length > 0) {
        request.headers(headers);
      }
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  private static HttpRequest.BodyPublisher chunked(byte[] body) {
    return HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
  }

  /** Summarizes all written documents in a few numbers and samples. */
  private static String content(String index) {
    String body =
        """
        {"size": 5, "track_total_hits": true, "sort": [{"n": "desc"}],
         "aggs": {"all": {"stats": {"field": "n"}}}}
        """;
    RestReply found = bed.rest().send("POST", "/" + index + "/_search", body).orThrow();
    return VARYING.matcher(found.body()).replaceAll("");
  }

  @Test
  void writeTheSameAsStraightToANode() throws Exception {
    HttpResponse<String> straight =
        send(
            NODES.node(0).httpUri(),
            "large-straight",
            HttpRequest.BodyPublishers.ofByteArray(bulk));
    HttpResponse<String> chunked = send(bed.uri(), "large-chunked", chunked(bulk));
    HttpResponse<String> gzip =
        send(
            bed.uri(),
            "large-gzip",
            HttpRequest.BodyPublishers.ofByteArray(gzip(bulk)),
            "Content-Encoding",
            "gzip");

    assertThat(straight.statusCode()).isEqualTo(200);
    for (HttpResponse<String> answer : List.of(chunked, gzip)) {
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(VARYING.matcher(answer.body()).replaceAll(""))
          .isEqualTo(VARYING.matcher(straight.body()).replaceAll(""));
    }
    String written = content("large-straight");
    assertThat(written).contains("\"value\":" + DOCUMENTS);
    assertThat(content("large-chunked")).isEqualTo(written);
    assertThat(content("large-gzip")).isEqualTo(written);
    assertThat(bed.admin().send("GET", "/metrics").orThrow().body())
        .contains("reason=\"large-body\"");
    bed.assertNothingHeld();
  }
}
