package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bulk that is larger than the whole heap of the gateway. */
@Drawn(oneIn = 3)
class StreamedBulkMemoryIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "streamed-memory";
  private static final int DOCUMENTS = 300;
  private static final int DOCUMENT_BYTES = 1_000_000;

  private final Random random = TestSeed.random(StreamedBulkMemoryIT.class);
  private final URI rest = URI.create("http://127.0.0.1:" + Ports.findFree(random));
  private final RestClient admin =
      new RestClient(URI.create("http://127.0.0.1:" + Ports.findFree(random)));

  @BeforeAll
  static void create() {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 2, "number_of_replicas": 0},
             "mappings": {"enabled": false}}
            """)
        .orThrow();
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  @Test
  void executeTheBulkWhileItArrives(@TempDir Path folder) throws Exception {
    try (GatewayChildProcess gateway =
            RequestMemoryIT.start(
                folder,
                rest.getPort(),
                admin.base().getPort(),
                ", max-body-bytes: 1gb",
                "bulk: {streaming: {threshold: 1mb}}");
        admin) {
      gateway.awaitReady(admin.base());
      long sent = (long) DOCUMENTS * DOCUMENT_BYTES;
      assertThat(stats("memory.heap_max_bytes")).isLessThan(sent);
      HttpResponse<String> answer = send();

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).contains("\"errors\":false");
      assertThat(answer.body().split("\"_id\"", -1)).hasSize(DOCUMENTS + 1);
      assertThat(stats("bulk.streamed_bulks")).isOne();
      Await.untilValue(
          "bytes held", () -> stats("in_flight.request_memory_bytes"), now -> now == 0);
    }
    String found = "/" + INDEX + "/_search?size=0&track_total_hits=true";
    assertThat(
            JsonResponse.of(NODES.rest().send("GET", found).orThrow()).number("hits.total.value"))
        .isEqualTo(DOCUMENTS);
  }

  private HttpResponse<String> send() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(rest.resolve("/" + INDEX + "/_bulk?refresh=true"))
              .header("Content-Type", "application/x-ndjson")
              .POST(HttpRequest.BodyPublishers.ofInputStream(Documents::new))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  /** The same document again and again. */
  private static final class Documents extends InputStream {
    private final byte[] document =
        ("{\"index\":{}}\n{\"text\":\"" + "t".repeat(DOCUMENT_BYTES) + "\"}\n").getBytes(UTF_8);
    private long at;

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      if (at == (long) DOCUMENTS * document.length) {
        return -1;
      }
      int from = (int) (at % document.length);
      int size = Math.min(length, document.length - from);
      System.arraycopy(document, from, into, offset, size);
      at += size;
      return size;
    }
  }

  private long stats(String field) {
    return JsonResponse.of(admin.send("GET", "/stats").orThrow()).number(field);
  }
}
