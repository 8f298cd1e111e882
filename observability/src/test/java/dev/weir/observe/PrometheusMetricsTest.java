package dev.weir.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.CompletedRequest;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PrometheusMetricsTest {
  private final PrometheusMetrics metrics = new PrometheusMetrics();

  @AfterEach
  void close() {
    metrics.close();
  }

  static CompletedRequest request(String path, String action, String reason, int status) {
    return new CompletedRequest(
        0,
        "127.0.0.1:5",
        "GET",
        "/x",
        "HTTP/1.1",
        path,
        action,
        reason,
        status,
        10,
        20,
        3_000_000,
        "",
        0,
        "main",
        "_default",
        "");
  }

  @Test
  void countsRequestsByTheWayTheyWent() {
    metrics.requests().accept(request("coordinated", "search", "", 200));
    metrics.requests().accept(request("coordinated", "search", "", 200));
    metrics.requests().accept(request("passthrough", "search", "search-pipeline", 404));
    assertThat(metrics.scrape())
        .contains(
            "weir_requests_total{action=\"search\",path=\"coordinated\",reason=\"\",status=\"200\"}"
                + " 2.0")
        .contains("reason=\"search-pipeline\",status=\"404\"} 1.0")
        .contains(
            "weir_request_seconds_bucket{action=\"search\",path=\"coordinated\",le=\"0.005\"} 2")
        .contains(
            "weir_request_seconds_bucket{action=\"search\",path=\"coordinated\",le=\"0.002\"} 0")
        .contains("weir_response_bytes_total{action=\"search\",path=\"passthrough\"} 20.0");
    assertThat(metrics.requests().countsByPathAndStatus())
        .containsExactly(Map.entry("coordinated/200", 2L), Map.entry("passthrough/404", 1L));
    assertThat(metrics.requests().passThroughCountsByReason())
        .containsExactly(Map.entry("search-pipeline", 1L));
  }

  @Test
  void showDurationsByAction() {
    metrics.requests().accept(request("passthrough", "other", "not-coordinated", 200));
    metrics.requests().accept(request("coordinated", "search", "", 200));
    metrics.requests().accept(request("coordinated", "search", "", 429));
    assertThat(RequestMetrics.bucketBoundsMillis()).startsWith(1L, 2L, 5L, 10L).endsWith(60_000L);
    List<RequestMetrics.ActionSummary> kinds = metrics.requests().summariesByAction();
    assertThat(kinds)
        .extracting(RequestMetrics.ActionSummary::action)
        .containsExactly("search", "other");
    RequestMetrics.ActionSummary searches = kinds.getFirst();
    assertThat(searches.path()).isEqualTo("coordinated");
    assertThat(searches.requests()).isEqualTo(2);
    assertThat(searches.totalMillis()).isEqualTo(6);
    assertThat(searches.requestBytes()).isEqualTo(20);
    assertThat(searches.responseBytes()).isEqualTo(40);
    assertThat(searches.cumulativeCounts()).hasSameSizeAs(RequestMetrics.bucketBoundsMillis());
    assertThat(searches.cumulativeCounts()).startsWith(0L, 0L, 2L, 2L).endsWith(2L);
  }

  @Test
  void timesThePartsOfSearches() {
    metrics.searches().recordPhase("query", 3_000_000);
    metrics.searches().recordPhase("new in some version", 3_000_000);
    assertThat(metrics.scrape())
        .contains("weir_search_phase_seconds_bucket{phase=\"query\",le=\"0.002\"} 0")
        .contains("weir_search_phase_seconds_bucket{phase=\"query\",le=\"0.005\"} 1")
        .contains("weir_search_phase_seconds_count{phase=\"fetch\"} 0")
        .contains("weir_search_phase_seconds_count{phase=\"other\"} 1");
  }

  @Test
  void timesReductionsAndHandsOnWhenThePoolIsFull() {
    List<Runnable> queue = new ArrayList<>();
    Executor timed =
        metrics
            .searches()
            .timeTasks(reduction -> {
              if (!queue.isEmpty()) {
                throw new RejectedExecutionException("full");
              }
              queue.add(reduction);
            });
    List<String> ran = new ArrayList<>();
    timed.execute(() -> ran.add("first"));
    assertThatThrownBy(() -> timed.execute(() -> ran.add("second")))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(metrics.scrape()).contains("weir_reduction_seconds_count 0");
    queue.forEach(Runnable::run);
    assertThat(ran).containsExactly("first");
    assertThat(metrics.scrape())
        .contains("weir_reduction_seconds_count 1", "weir_reduction_wait_seconds_count 1");
  }

  @Test
  void boundsTheNumberOfSeries() {
    for (int i = 0; i < 5000; i++) {
      metrics.requests().accept(request("passthrough", "action" + i, "reason" + i, 200));
    }
    assertThat(metrics.scrape().lines().filter(line -> line.startsWith("weir_requests_total")))
        .hasSizeLessThan(1010)
        .anyMatch(line -> line.contains("reason=\"other\""));
    assertThat(metrics.requests().countsByPathAndStatus()).containsEntry("passthrough/200", 5000L);
  }

  @Test
  void countsNoCoordinatedRequestAsPassedThroughBeyondTheBound() {
    for (int i = 0; i < 1500; i++) {
      metrics.requests().accept(request("coordinated", "action" + i, "", 200));
    }
    assertThat(metrics.requests().passThroughCountsByReason()).isEmpty();
    assertThat(metrics.requests().countsByPathAndStatus())
        .containsExactly(Map.entry("coordinated/200", 1500L));
    assertThat(metrics.scrape())
        .contains(
            "weir_requests_total{action=\"other\",path=\"coordinated\",reason=\"\",status=\"200\"}"
                + " 500.0");
  }

  @Test
  void removeTheSeriesOfALostNode() {
    List<String> nodes = new ArrayList<>(List.of("a", "b", "b"));
    metrics.table(
        new MetricTable<>(
            () -> nodes,
            node -> Map.of("node", node),
            List.of(
                MetricTable.Column.gauge("weir_test_gauge", "help", String::length),
                MetricTable.Column.counter("weir_test_sent", "help", node -> -1))));
    assertThat(metrics.scrape())
        .contains("weir_test_gauge{node=\"a\"} 1.0")
        .contains("weir_test_gauge{node=\"b\"} 1.0")
        .contains("weir_test_sent_total{node=\"a\"} 0.0");
    nodes.clear();
    assertThat(metrics.scrape()).doesNotContain("weir_test_gauge{");
  }

  @Test
  void partsShareTheRowsThatAreShown() {
    LabelledMetricRegistry parts = new LabelledMetricRegistry("cluster");
    Map.of("large", 5000, "other", 5000, "small", 3)
        .forEach((part, nodes) ->
            parts
                .forPart(part)
                .table(
                    new MetricTable<>(
                        () -> IntStream.range(0, nodes).boxed().toList(),
                        node -> Map.of("node", "n" + node),
                        List.of(
                            MetricTable.Column.gauge("weir_test_part", "help", node -> node)))));
    parts.registerIn(metrics);
    List<String> shown =
        metrics.scrape().lines().filter(line -> line.startsWith("weir_test_part{")).toList();
    assertThat(shown.stream().filter(line -> line.contains("\"small\""))).hasSize(3);
    assertThat(shown.stream().filter(line -> line.contains("\"large\""))).hasSizeBetween(998, 999);
    assertThat(shown).hasSize(2000);
  }

  @Test
  void showMetricsOfModulesAndTheJvm() {
    metrics.gauge("weir_some_gauge", "help", () -> 7).counter("weir_some_count", "help", () -> 9);
    assertThat(metrics.scrape())
        .contains("weir_some_gauge 7.0")
        .contains("weir_some_count_total 9.0")
        .contains("jvm_memory_used_bytes");
  }

  @Test
  void readCountersAfterGarbageCollection() {
    LongAdder counted = new LongAdder();
    metrics.counter("weir_still_counted", "help", counted::sum);
    WeakReference<Object> witness = new WeakReference<>(new Object());
    for (int i = 0; i < 1000 && witness.get() != null; i++) {
      System.gc();
    }
    assertThat(witness.get()).isNull();
    counted.add(3);
    assertThat(metrics.scrape()).contains("weir_still_counted_total 3.0");
  }
}
