package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that send nonsense, stop in the middle, or go away. */
@Drawn(oneIn = 3)
class ClientFaultsIT {
  private static final String JSON = "application/json";
  private static final String INDEX = "faults-clients";
  private static final int SEGMENTS = 60;

  /** Takes long for each document; a cancellation takes effect between segments. */
  private static final String SLOW_SEARCH =
      """
      {"query": {"script": {"script": {"source":
       "double turn(double x) { double s = x; for (int i = 0; i < 500000; i++) { s = Math.sin(s + i) } return s }
        double all = 0; for (int i = 0; i < 40; i++) { all += turn(doc['n'].value + i) } return all < 1e300"}}}}
      """
          .replace("\n", " ");

  private static final DataNodeCluster NODES = SharedCluster.get();
  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed = TestBed.inFrontOf(NODES.seeds());
    NODES
        .rest()
        .send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 1, "number_of_replicas": 0,
             "merge.policy.segments_per_tier": 100, "merge.policy.max_merge_at_once": 100},
             "mappings": {"properties": {"n": {"type": "long"}}}}
            """)
        .orThrow();
    for (int n = 0; n < SEGMENTS; n++) {
      NODES
          .rest()
          .bulk(
              "/" + INDEX + "/_bulk?refresh=true",
              ("{\"index\":{}}\n{\"n\":" + n + "}\n").getBytes(UTF_8))
          .orThrow();
    }
  }

  @AfterAll
  static void end() {
    bed.close();
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  @AfterEach
  void leavesNothing() {
    LeakChecks.assertNone(bed, NODES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POST | /faults-clients/_search | application/json | {"query": | 400 | unexpected_end_of_input_exception
          POST | /faults-clients/_search | application/json | {"query": {"nonsense": {}}} | 400 | parsing_exception
          POST | /faults-clients/_search?nonsense=1 | application/json | {} | 400 | illegal_argument_exception
          POST | /faults-clients/_search?size=many | application/json | {} | 400 | illegal_argument_exception
          POST | /faults-nowhere/_search | application/json | {} | 404 | index_not_found_exception
          GET  | /faults-nowhere/_doc/1 | application/json | '' | 404 | index_not_found_exception
          POST | /faults-clients/_bulk | application/x-ndjson | {"index":{}} | 400 | illegal_argument_exception
          POST | /faults-clients/_doc | application/json | {"n": "no number"} | 400 | mapper_parsing_exception
          POST | /faults-clients/_doc | application/json | {"n": | 400 | mapper_parsing_exception
          """)
  void refusesNonsenseInANodesWords(
      String method, String target, String type, String body, int status, String error)
      throws IOException {
    try (RawConnection wire = new RawConnection(bed.uri());
        RawConnection node = new RawConnection(NODES.node(0).httpUri())) {
      JsonResponse refused = wire.send(method, target, type, body).readResponse();

      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused.reasonOfError()).isNotEmpty();
      assertThat(refused.text("error.type")).isEqualTo(error);
      assertThat(node.send(method, target, type, body).readResponse().status()).isEqualTo(status);
      // the connection continues
      assertThat(wire.send("GET", "/" + INDEX + "/_count", JSON, "").readResponse().number("count"))
          .isEqualTo(SEGMENTS);
    }
  }

  @Test
  void refusesAnUnknownContentType() throws IOException {
    try (RawConnection wire = new RawConnection(bed.uri())) {
      JsonResponse refused =
          wire.send("POST", "/" + INDEX + "/_search", "text/rtf", "{}").readResponse();
      assertThat(refused.status()).isEqualTo(406);
      assertThat(refused.text("error")).contains("Content-Type header [text/rtf] is not supported");
    }
  }

  @Test
  void refusesABodyThatIsTooLongBeforeItCame() throws IOException {
    try (RawConnection wire = new RawConnection(bed.uri())) {
      wire.send("POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n{");
      assertThat(wire.readResponse().status()).isEqualTo(413);
    }
  }

  @Test
  void servesOthersWhileClientsStopInTheMiddle() throws IOException {
    List<RawConnection> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        slow.add(new RawConnection(bed.uri()).send("POST /_bulk HTTP/1.1\r\nHost: x\r\nX-Half: "));
        slow.add(
            new RawConnection(bed.uri())
                .send(
                    "POST /"
                        + INDEX
                        + "/_bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
                        + "Content-Length: 60000\r\n\r\n{\"index\":{}}\n{\"n\":1}\n"));
      }
      Await.untilValue("connections", bed.gateway()::clientConnections, open -> open >= 100);
      try (RawConnection wire = new RawConnection(bed.uri())) {
        for (int i = 0; i < 20; i++) {
          assertThat(wire.send("GET", "/" + INDEX + "/_search", JSON, "{}").readResponse().status())
              .isEqualTo(200);
        }
      }
    } finally {
      for (RawConnection wire : slow) {
        wire.close();
      }
    }
    bed.assertNothingHeld();
    assertThat(JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_count")).number("count"))
        .isEqualTo(SEGMENTS);
  }

  @Test
  void closeContextsOfClientsThatLeft() throws IOException {
    try (RawConnection wire = new RawConnection(bed.uri())) {
      // the second and the third response wait for the first
      wire.send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, SLOW_SEARCH);
      wire.send("POST", "/" + INDEX + "/_search/point_in_time?keep_alive=1h", JSON, "");
      wire.send("POST", "/" + INDEX + "/_search?scroll=1h", JSON, "{\"size\": 1}");
      Await.untilValue(
          "contexts of all three", () -> LeakChecks.countSearchContexts(NODES), open -> open == 3);
    }
    Await.untilValue(
        "contexts that are left", () -> LeakChecks.countSearchContexts(NODES), open -> open == 0);
  }

  /** Returns the running queries; a cancelled query is not among them. */
  private static long completedQueries() {
    return JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_stats/search").orThrow())
        .number("_all.total.search.query_total");
  }

  @Test
  void cancelTasksOnTheNodesAfterADisconnect() throws IOException {
    long completed = completedQueries();
    try (RawConnection wire = new RawConnection(bed.uri())) {
      wire.send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, SLOW_SEARCH);
      Await.untilValue(
          "the running search", () -> LeakChecks.runningSearches(NODES), found -> !found.isEmpty());
    }
    Await.untilValue("searches that run", () -> LeakChecks.runningSearches(NODES), String::isEmpty);
    assertThat(completedQueries()).as("queries that ran to their end").isEqualTo(completed);
  }
}
