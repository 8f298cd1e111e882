package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that stop reading large responses do not keep the memory of all responses. */
class SlowReadersIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "slow-readers";
  private static final int DOCUMENTS = 50;
  private static final int DOCUMENT_BYTES = 100_000;
  private static final long RESPONSE_BYTES = (long) DOCUMENTS * DOCUMENT_BYTES;

  /** More searches than the memory for responses has room for. */
  private static final int STALLED = 8;

  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  @BeforeAll
  static void load() {
    String settings = "{\"settings\":{\"number_of_shards\":6,\"number_of_replicas\":0}}";
    NODES.rest().send("PUT", "/" + INDEX, settings).orThrow();
    String document = "{\"index\":{}}\n{\"text\":\"" + "t".repeat(DOCUMENT_BYTES) + "\"}\n";
    String lines = document.repeat(DOCUMENTS);
    NODES.rest().bulk("/" + INDEX + "/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  @Test
  void makeRoomForAWaitingSearchByEvictingSlowReaders() throws Exception {
    List<RawHttpConnection> stalled = new ArrayList<>();
    try (TestBed bed =
        TestBed.withSections(
            NODES.seeds(),
            "admission: {max-total-response-bytes: 28mb,"
                + " request-memory: {max-wait: 2m, pass-through: false}}")) {
      try {
        for (int i = 0; i < STALLED; i++) {
          stalled.add(search(bed, "127.0.0.1"));
        }
        Await.untilValue(
            "a search that waits, or had a reader evicted",
            () -> waiting(bed) + closed(bed, "evicted-reader"),
            some -> some > 0);
        try (RawHttpConnection other = search(bed, "127.0.0.2")) {
          RawHttpConnection.Response response = other.read();
          assertThat(response.status()).as(response.text()).isEqualTo(200);
          assertThat(response.body().length).isGreaterThan((int) RESPONSE_BYTES);
        }
        assertThat(closed(bed, "evicted-reader")).isPositive();
      } finally {
        for (RawHttpConnection each : stalled) {
          each.close();
        }
      }
    }
  }

  private static RawHttpConnection search(TestBed bed, String from) throws IOException {
    InetSocketAddress gateway = new InetSocketAddress(bed.uri().getHost(), bed.uri().getPort());
    return new RawHttpConnection(gateway, InetAddress.getByName(from), TIMEOUT)
        .send(RawHttpConnection.get("/" + INDEX + "/_search?size=" + DOCUMENTS));
  }

  private static long waiting(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow())
        .number("request_memory.waiting_requests");
  }

  private static double closed(TestBed bed, String reason) {
    String row = "weir_http_closed_connections_total{reason=\"" + reason + "\"} ";
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith(row))
        .mapToDouble(line -> Double.parseDouble(line.substring(row.length())))
        .findFirst()
        .orElseThrow();
  }
}
