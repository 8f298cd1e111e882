package dev.weir.it.traces;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.traces.OtlpCollector.Span;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The spans that a collector receives of requests to a real cluster, and that requests do not
 * depend on the collector.
 */
class RequestTracerIT {
  private static final String CLIENTS_SPAN = "00f067aa0ba902b7";
  private static OtlpCollector collector;
  private static TestBed bed;
  private static int traces;

  @BeforeAll
  static void start() throws IOException {
    collector = OtlpCollector.start();
    bed = TestBed.withSections(SharedCluster.get().seeds(), traces(collector.endpoint(), "0"));
    // without other copies there are no second requests for late reads
    bed.rest()
        .send(
            "PUT",
            "/traced",
            "{\"settings\": {\"number_of_shards\": 2, \"number_of_replicas\": 0}}")
        .orThrow();
    StringBuilder bulk = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      bulk.append("{\"index\": {\"_id\": \"").append(i).append("\"}}\n{\"n\": 1}\n");
    }
    bed.rest()
        .bulk("/traced/_bulk?refresh=true", bulk.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  @AfterAll
  static void stop() {
    bed.rest().send("DELETE", "/traced");
    bed.close();
    assertThat(collector.allSpans())
        .as("requests without a sampled parent")
        .allMatch(RequestTracerIT::asked);
    collector.close();
  }

  private static boolean asked(Span span) {
    return span.traceId().startsWith("5eed");
  }

  private static String traces(String endpoint, String percent) {
    return """
    observability:
      traces:
        enabled: true
        endpoint: %s
        sample-percent: %s
        headers: {Authorization: "Bearer abc"}
        export-timeout: 1s
    """
        .formatted(endpoint, percent);
  }

  private static String newTrace() {
    return "5eed" + "%028x".formatted(++traces);
  }

  private static HttpResponse<String> send(
      TestBed to, String method, String path, String body, String traceParent) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(to.uri() + path))
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .header("Content-Type", "application/json")
              .header("traceparent", traceParent)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Sends a request of a sampled trace and returns its spans. */
  private static List<Span> sent(String method, String path, String body) throws Exception {
    String trace = newTrace();
    HttpResponse<String> answer =
        send(bed, method, path, body, "00-" + trace + "-" + CLIENTS_SPAN + "-01");
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    assertThat(answer.headers().map()).doesNotContainKeys("traceparent", "tracestate");
    return collector.awaitTrace(trace);
  }

  private static Span server(List<Span> spans) {
    return spans.stream().filter(span -> span.kind() == 2).findFirst().orElseThrow();
  }

  private static List<Span> named(List<Span> spans, String name) {
    return spans.stream().filter(span -> span.name().equals(name)).toList();
  }

  @Test
  void recordASearchAsATreeOfPhasesAndCalls() throws Exception {
    List<Span> spans = sent("POST", "/traced/_search", "{\"size\": 20}");
    Span server = server(spans);
    assertThat(server.name()).isEqualTo("POST search");
    assertThat(server.parentId()).isEqualTo(CLIENTS_SPAN);
    assertThat(server.resource()).containsEntry("service.name", "weir");
    assertThat(server.attributes())
        .containsEntry("http.request.method", "POST")
        .containsEntry("http.response.status_code", "200")
        .containsEntry("url.path", "/traced/_search")
        .containsEntry("url.scheme", "http")
        .containsEntry("weir.path", "coordinated")
        .containsEntry("weir.action", "search")
        .containsKey("weir.request_id");
    for (String phase : List.of("query", "reduce", "fetch")) {
      assertThat(named(spans, phase)).as(phase).hasSize(1);
      assertThat(named(spans, phase).getFirst().parentId()).isEqualTo(server.spanId());
    }
    calls(spans, "indices:data/read/search[phase/query]", "query");
    calls(spans, "indices:data/read/search[phase/fetch/id]", "fetch");
    assertThat(spans).hasSize(8);
    for (Span span : spans) {
      assertThat(span.startNanos()).isBetween(server.startNanos(), server.endNanos());
      assertThat(span.endNanos()).isBetween(span.startNanos(), server.endNanos());
      assertThat(span.status()).isZero();
    }
    assertThat(collector.authorizations).contains("Bearer abc");
  }

  private static void calls(List<Span> spans, String action, String phase) {
    List<Span> calls = named(spans, action);
    assertThat(calls).as(action).hasSize(2);
    for (Span call : calls) {
      assertThat(call.kind()).isEqualTo(3);
      assertThat(call.parentId()).isEqualTo(named(spans, phase).getFirst().spanId());
      assertThat(call.get("db.system.name")).isEqualTo("opensearch");
      assertThat(call.get("db.operation.name")).isEqualTo(action);
      assertThat(call.get("server.port")).isNotEmpty();
      assertThat(call.get("weir.node.name")).isNotEmpty();
    }
  }

  @Test
  void writesAndReadsHaveACallEach() throws Exception {
    List<Span> write = sent("PUT", "/traced/_doc/0", "{\"n\": 1}");
    assertThat(write).hasSize(2);
    assertThat(server(write).get("weir.path")).isEqualTo("coordinated");
    assertThat(write)
        .filteredOn(span -> span.kind() == 3)
        .first()
        .satisfies(call -> {
          assertThat(call.parentId()).isEqualTo(server(write).spanId());
          assertThat(call.name()).startsWith("indices:data/write/bulk[s]");
        });
    List<Span> read = sent("GET", "/traced/_doc/0", "");
    assertThat(read).hasSize(2);
    assertThat(read)
        .filteredOn(span -> span.kind() == 3)
        .first()
        .satisfies(call -> assertThat(call.name()).startsWith("indices:data/read/get"));
  }

  @Test
  void searchesOfOneRequestDoNotMix() throws Exception {
    String one = "{\"index\": \"traced\"}\n{\"size\": 20}\n";
    List<Span> spans = sent("POST", "/_msearch", one + one);
    assertThat(named(spans, "query")).hasSize(2);
    for (Span query : named(spans, "query")) {
      assertThat(spans).filteredOn(span -> span.parentId().equals(query.spanId())).hasSize(2);
    }
  }

  @Test
  void recordASpanOfAPassThrough() throws Exception {
    List<Span> spans = sent("GET", "/_cat/indices/traced?h=index", "");
    assertThat(spans).hasSize(2);
    assertThat(named(spans, "GET"))
        .filteredOn(span -> span.kind() == 3)
        .singleElement()
        .satisfies(way -> {
          assertThat(way.parentId()).isEqualTo(server(spans).spanId());
          assertThat(way.attributes())
              .containsEntry("http.request.method", "GET")
              .containsEntry("http.response.status_code", "200")
              .containsKeys("server.address", "server.port");
        });
    assertThat(server(spans).attributes())
        .containsEntry("weir.path", "passthrough")
        .containsEntry("url.query", "h=index");
    assertThat(server(spans).get("weir.reason")).isNotEmpty();
  }

  @Test
  void answersAreTheSameWithATrace() throws Exception {
    String search = "{\"size\": 3, \"sort\": [\"_doc\"], \"query\": {\"ids\": {\"values\": [1]}}}";
    String traced =
        send(
                bed,
                "POST",
                "/traced/_search",
                search,
                "00-" + newTrace() + "-" + CLIENTS_SPAN + "-01")
            .body();
    String untraced =
        send(
                bed,
                "POST",
                "/traced/_search",
                search,
                "00-" + newTrace() + "-" + CLIENTS_SPAN + "-00")
            .body();
    assertThat(traced.replaceFirst("\"took\":\\d+", ""))
        .isEqualTo(untraced.replaceFirst("\"took\":\\d+", ""));
  }

  @Test
  void surviveALostCollector() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0)) {
      port = taken.getLocalPort();
    }
    String gone = traces("http://127.0.0.1:" + port + "/v1/traces", "100");
    try (TestBed alone = TestBed.withSections(SharedCluster.get().seeds(), gone)) {
      for (int i = 0; i < 50; i++) {
        HttpResponse<String> answer =
            send(alone, "POST", "/traced/_search", "{}", "not-a-traceparent");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"failed\":0");
      }
      Await.untilValue(
          "failed exports of spans",
          () -> figure(alone, "weir_span_export_failures_total"),
          failures -> failures > 0);
      assertThat(figure(alone, "weir_spans_exported_total")).isZero();
    }
  }

  private static double figure(TestBed bed, String name) {
    Map<String, Double> figures =
        bed.admin()
            .send("GET", "/metrics")
            .body()
            .lines()
            .filter(line -> line.startsWith(name + " "))
            .collect(
                java.util.stream.Collectors.toMap(
                    line -> name, line -> Double.valueOf(line.substring(name.length() + 1))));
    return figures.getOrDefault(name, -1.0);
  }
}
