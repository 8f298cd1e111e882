package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Exports to slow clients, to clients that leave, to too many clients, and one that fails midway.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportClientsIT {
  private static final String LARGE = "export-large";

  /** Far more bytes than the socket buffers of a client that reads nothing. */
  private static final int LARGE_ROWS = 400;

  private static final int ROW_BYTES = 64 << 10;

  private final TestBed bed =
      TestBed.withSections(
          SharedCluster.get().seeds(),
          "responses: {export: {max-in-flight: 2, default-slices: 2, target-page-bytes: 8kb}}");
  private final BytesClient caller = new BytesClient(bed.uri());

  @BeforeAll
  void load() {
    bed.rest().send("DELETE", "/" + LARGE + "?ignore_unavailable=true").orThrow();
    String settings =
        "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0},\"mappings\":{\"enabled\":false}}";
    bed.rest().send("PUT", "/" + LARGE, settings).orThrow();
    String text = "x".repeat(ROW_BYTES);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < LARGE_ROWS; i++) {
      lines.append("{\"index\":{\"_id\":\"" + i + "\"}}\n{\"text\":\"" + text + "\"}\n");
    }
    byte[] body = lines.toString().getBytes(StandardCharsets.UTF_8);
    String answer = bed.rest().bulk("/" + LARGE + "/_bulk?refresh=true", body).orThrow().body();
    assertThat(answer).contains("\"errors\":false");
  }

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + LARGE);
    caller.close();
    bed.close();
  }

  /**
   * Waits until the gateway reads no more rows, because the client reads none; returns their
   * number.
   */
  private long awaitStandstill() {
    long last = -1;
    for (int same = 0; same < 15; ) {
      LockSupport.parkNanos(20_000_000);
      long now = figure("rows");
      same = now == last ? same + 1 : 0;
      last = now;
    }
    return last;
  }

  private long figure(String name) {
    Map<String, Object> stats =
        ExpectedRows.json(bed.admin().send("GET", "/stats").orThrow().body());
    return Long.parseLong(String.valueOf(ExpectedRows.map(stats.get("exports")).get(name)));
  }

  @Test
  void readNoFasterThanClient() throws IOException {
    long before = figure("rows");
    long disconnected = figure("client-disconnected");
    try (SlowChunkedReader answer =
        new SlowChunkedReader(bed.uri(), "/" + LARGE + "/_weir/export?slices=2", "")) {
      answer.read(1);
      long rows = awaitStandstill();
      assertThat(rows - before).isLessThan(LARGE_ROWS / 2);
      assertThat(bed.gateway().inFlightWork().requestMemoryBytes()).isPositive();
      answer.read(1 << 20);
      assertThat(ExportTestBed.openPits(caller)).isPositive();
    }
    bed.assertNothingHeld();
    ExportTestBed.awaitNoOpenPits(caller);
    assertThat(figure("client-disconnected")).isEqualTo(disconnected + 1);
    assertThat(figure("in_flight")).isZero();
  }

  @Test
  void endWithErrorWhenPointInTimeIsLost() throws IOException {
    String opened =
        caller
            .send("POST", "/" + LARGE + "/_search/point_in_time?keep_alive=1m", "", Map.of())
            .text();
    String id = String.valueOf(ExpectedRows.json(opened).get("pit_id"));
    String search = "{\"pit\":{\"id\":\"" + id + "\"}}";
    try (SlowChunkedReader answer =
        new SlowChunkedReader(bed.uri(), "/_weir/export?slices=1", search)) {
      answer.read(1);
      awaitStandstill();
      caller.send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + id + "\"]}", Map.of());
      answer.readAll();

      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.isComplete()).isFalse();
      List<Map<String, Object>> lines = ExportTestBed.hits(answer.text());
      assertThat(lines).hasSizeBetween(2, LARGE_ROWS);
      assertThat(ExpectedRows.map(lines.getLast().get("error")).get("type"))
          .isEqualTo("search_phase_execution_exception");
    }
    bed.assertNothingHeld();
  }

  @Test
  void rejectMoreThanMaxInFlight() throws IOException {
    String path = "/" + LARGE + "/_weir/export";
    try (SlowChunkedReader one = new SlowChunkedReader(bed.uri(), path, "");
        SlowChunkedReader other = new SlowChunkedReader(bed.uri(), path, "")) {
      one.read(1);
      other.read(1);
      Answer third = caller.search(path, "", Map.of());
      assertThat(third.status()).as(third.text()).isEqualTo(429);
      assertThat(third.text()).contains("responses.export.max-in-flight");
    }
    bed.assertNothingHeld(); // otherwise the next test would exceed the limit of exports
  }
}
