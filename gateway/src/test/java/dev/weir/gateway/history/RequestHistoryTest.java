package dev.weir.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CompletedRequest;
import dev.weir.observe.admin.AdminResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RequestHistoryTest {
  private static final long STEP_NANOS = RequestHistory.STEP_DURATION.toNanos();

  private final AtomicLong millis = new AtomicLong(1_000_000);
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong cpuNanos = new AtomicLong();
  private final List<String> notReady = new ArrayList<>();
  private final Map<String, String> reduced = new HashMap<>();
  private final RequestHistory history =
      new RequestHistory(new RequestHistory.Clocks(millis::get, nanos::get, cpuNanos::get));
  private long number;

  RequestHistoryTest() {
    history.begin(
        new HistoryProbe() {
          @Override
          public int inFlight() {
            return 3;
          }

          @Override
          public int waiting() {
            return 2;
          }

          @Override
          public Map<String, Double> nodeCpu() {
            return Map.of("blue", 0.5);
          }

          @Override
          public List<String> notReadyReasons() {
            return List.copyOf(notReady);
          }

          @Override
          public Map<String, String> reducedNodes() {
            return Map.copyOf(reduced);
          }

          @Override
          public Set<Long> explainedRequests() {
            return Set.of(1L);
          }
        });
  }

  private CompletedRequest request(String path, String uri, int status, long tookMillis) {
    return new CompletedRequest(
        millis.get(),
        "10.0.0.9:5",
        "GET",
        uri,
        "HTTP/1.1",
        path,
        "search",
        path.equals("passthrough") ? "script" : "",
        status,
        10,
        20,
        TimeUnit.MILLISECONDS.toNanos(tookMillis),
        "",
        ++number,
        path.equals("local") ? "" : "blue",
        "acme",
        "");
  }

  private void add(String path, String uri, int status, long tookMillis) {
    history.accept(request(path, uri, status, tookMillis));
  }

  private void endStep() {
    nanos.addAndGet(STEP_NANOS);
    millis.addAndGet(TimeUnit.NANOSECONDS.toMillis(STEP_NANOS));
    cpuNanos.addAndGet(STEP_NANOS / 2);
    history.takeStep();
  }

  private String show(Map<String, String> query) {
    AdminResponse response = new HistoryPage(history).show(query);
    assertThat(response.status()).isEqualTo(200);
    return response.body();
  }

  private String requests(Map<String, String> query) {
    AdminResponse response = new RequestsPage(history).show(query);
    assertThat(response.status()).isEqualTo(200);
    return response.body();
  }

  @Test
  void countEachRequestInTheStepInWhichItEnded() {
    add("coordinated", "/a/_search", 200, 8);
    add("coordinated", "/a/_search", 200, 8);
    add("local", "/a/_search", 429, 0);
    endStep();
    add("passthrough", "/b/_search", 503, 30);
    endStep();
    endStep();

    List<HistoryStep> steps = history.steps();
    assertThat(steps).extracting(HistoryStep::number).containsExactly(1L, 2L, 3L);
    assertThat(steps).extracting(step -> step.total("").requests()).containsExactly(3L, 1L, 0L);
    assertThat(steps.getFirst().total("").rejected()).isEqualTo(1);
    assertThat(steps.get(1).total("blue").failed()).isEqualTo(1);
    assertThat(steps.getFirst().answeredByNodes("").quantileMillis(0.5)).isEqualTo(7.5);
    assertThat(steps.getFirst().gateway().cpuCores()).isEqualTo(0.5);
    assertThat(show(Map.of()))
        .contains("\"requests\":3,\"errors\":0,\"rejections\":1,\"median_ms\":7.5")
        .contains("\"blue\":{\"requests\":2,\"errors\":0,\"rejections\":0")
        .contains("\"node_cpu_ratio\":0.5")
        .doesNotContain("\"flows\"");
    assertThat(show(Map.of("since", "1", "flows", "")))
        .doesNotContain("\"step\":1,")
        .contains("\"path\":\"passthrough\",\"action\":\"search\",\"counts\":[0,0,0,0,0,1]");
  }

  @Test
  void keepAnHourOfSteps() {
    for (int i = 0; i < RequestHistory.MAX_STEPS + 2; i++) {
      endStep();
    }
    assertThat(history.steps()).hasSize(RequestHistory.MAX_STEPS);
    assertThat(history.steps().getFirst().number()).isEqualTo(3);
  }

  @Test
  void countFurtherKindsAsOne() {
    for (int i = 0; i < RequestHistory.MAX_FLOWS + 5; i++) {
      add("path" + i, "/a", 200, 1);
    }
    endStep();
    Map<Flow, UsageCounts.Sums> flows = history.steps().getFirst().flows();
    assertThat(flows).hasSize(RequestHistory.MAX_FLOWS + 1);
    assertThat(flows.getOrDefault(Flow.OTHER, UsageCounts.Sums.ZERO).requests()).isEqualTo(5);
  }

  @Test
  void recordChangesOfReadinessAmongTheEvents() {
    history.events().add(GatewayEvents.Kind.RELOAD, "configuration in force: routing");
    endStep();
    notReady.add("draining");
    endStep();
    endStep();
    notReady.clear();
    endStep();
    assertThat(show(Map.of()))
        .contains(
            "\"kind\":\"reload\",\"text\":\"configuration in force: routing\"",
            "\"kind\":\"readiness\",\"text\":\"not ready: draining\"",
            "\"kind\":\"readiness\",\"text\":\"ready\"")
        .containsOnlyOnce("not ready");
    assertThat(show(Map.of("since", "1"))).doesNotContain("reload").contains("draining");
  }

  @Test
  void recordNodesThatAnOperatorDrains() {
    reduced.put("node-1", "is drained");
    endStep();
    endStep();
    reduced.put("node-1", "gets less than its usual share of requests");
    endStep();
    reduced.clear();
    endStep();
    assertThat(show(Map.of()))
        .containsOnlyOnce("\"kind\":\"drain\",\"text\":\"node node-1 is drained\"")
        .containsOnlyOnce("node node-1 gets less than its usual share of requests")
        .containsOnlyOnce("node node-1 gets its usual share of requests");
  }

  @Test
  void selectTheRequestsBehindAFigure() {
    add("coordinated", "/fast/_search", 200, 2);
    add("coordinated", "/slow/_search", 200, 900);
    add("local", "/rejected/_search", 429, 0);
    add("coordinated", "/failed/_search", 503, 5);
    add("passthrough", "/passed/_search", 200, 5);
    endStep();
    for (int i = 0; i < 5; i++) {
      add("coordinated", "/later/_search", 200, 50);
    }

    assertThat(requests(Map.of("show", "slow", "size", "1")))
        .contains("GET /slow/_search", "\"took_ms\": 900.0", "\"found\": 8")
        .doesNotContain("/later");
    assertThat(requests(Map.of("show", "rejected"))).contains("/rejected/_search", "\"found\": 1");
    assertThat(requests(Map.of("show", "failed"))).contains("/failed/", "\"status\": 503");
    assertThat(requests(Map.of("show", "passed-through")))
        .contains("/passed/", "\"pass_through_reason\": \"script\"", "\"found\": 1");
    assertThat(requests(Map.of("show", "newest", "path", "coordinated", "action", "search")))
        .contains("/fast/", "/later/", "\"explanation\": \"routing/explain?request=1\"")
        .containsOnlyOnce("routing/explain")
        .doesNotContain("/passed/");
    assertThat(requests(Map.of("tenant", "other"))).contains("\"found\": 0");
    millis.addAndGet(TimeUnit.MINUTES.toMillis(3));
    assertThat(requests(Map.of("show", "slow", "minutes", "2"))).contains("\"found\": 0");
  }

  @Test
  void keepTheSlowestOfEachStep() {
    for (int i = 1; i <= 100; i++) {
      add("coordinated", "/n" + i + "/_search", 200, i);
    }
    endStep();
    assertThat(history.steps().getFirst().slowest())
        .extracting(one -> one.request().uri())
        .containsExactly("/n100/_search", "/n99/_search", "/n98/_search", "/n97/_search");
  }

  @Test
  void keepNoLongText() {
    add("coordinated", "/a?q=" + "x".repeat(5000), 200, 1);
    assertThat(history.newest().getFirst().request().uri()).hasSize(RecentRequest.MAX_URI);
  }

  @Test
  void rejectUnknownParameters() {
    assertThat(new HistoryPage(history).show(Map.of("since", "now")).status()).isEqualTo(400);
    RequestsPage page = new RequestsPage(history);
    assertThat(page.show(Map.of("show", "all")).body()).contains("got [all]", "passed-through");
    assertThat(page.show(Map.of("size", "-1")).status()).isEqualTo(400);
    assertThat(page.show(Map.of("minutes", "x")).status()).isEqualTo(400);
  }

  @Test
  void countByIndexAndByTenant() {
    add("coordinated", "/a,b/_search", 200, 8);
    add("coordinated", "/a/_search", 503, 8);
    add("coordinated", "/_search", 200, 8);
    Map<String, Object> usage = new HistoryStatsReporter(history).sections();
    assertThat(usage.toString())
        .contains("by_index={top=[{name=a, requests=2, errors=1, rejections=0, took_ms=16")
        .contains("{name=*, requests=1", "{name=b, requests=1")
        .contains("by_tenant={top=[{name=acme, requests=3");
  }
}
