package dev.weir.testkit.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DashboardRequestTest {
  private static final DashboardLogs LOGS = new DashboardLogs("logs-", 90, 2, 7, 30_000, 700);

  @Test
  void haveSixtyPanelsOfDistinctTitles() {
    List<String> titles = DashboardPanel.all().stream().map(DashboardPanel::title).toList();

    assertThat(titles).hasSize(60).doesNotHaveDuplicates();
  }

  @Test
  void putEachPanelIntoOneRequest() {
    for (int atOnce : new int[] {1, DashboardRequest.DASHBOARD}) {
      List<DashboardRequest> requests = DashboardRequest.of(LOGS, DashboardRange.WEEK, atOnce);

      assertThat(requests.stream().flatMap(request -> request.panels().stream())).hasSize(60);
      assertThat(requests).noneMatch(request -> request.body().contains("$"));
    }
  }

  @Test
  void nameTheIndicesOfTheRange() {
    assertThat(LOGS.indices(DashboardRange.QUARTER_HOUR)).containsExactly("logs-2026.03.31");
    assertThat(LOGS.indices(DashboardRange.QUARTER)).hasSize(90).contains("logs-2026.01.01");
  }

  @Test
  void chooseBucketsAsTheToolsDo() {
    assertThat(DashboardTool.GRAFANA.intervalSeconds(DashboardRange.WEEK)).isEqualTo(600);
    assertThat(DashboardTool.DASHBOARDS.intervalSeconds(DashboardRange.QUARTER)).isEqualTo(86_400);
  }

  @Test
  void tellWhichPanelsFailed() {
    DashboardRequest two =
        new DashboardRequest(List.of("a", "b"), "/_msearch", "application/x-ndjson", "");

    assertThat(new DashboardAnswer(429, "{}").failedPanels(two))
        .containsExactly("a: 429", "b: 429");
    assertThat(
            new DashboardAnswer(200, "{\"responses\":[{\"status\":200},{\"status\":429}]}")
                .failedPanels(two))
        .containsExactly("b: 429");
    assertThat(new DashboardAnswer(200, "{\"responses\":[{\"status\":200}]}").failedPanels(two))
        .containsExactly("b: no answer");
  }

  @Test
  void tellARefusalForMemoryFromOthers() {
    DashboardRequest one =
        new DashboardRequest(List.of("a"), "/_msearch", "application/x-ndjson", "");
    String refused =
        "{\"responses\":[{\"error\":{\"type\":\"%s\",\"reason\":\"Data too"
            + " large\"},\"status\":429}]}";

    assertThat(
            new DashboardAnswer(200, refused.formatted("circuit_breaking_exception"))
                .lacksMemoryOnly(one))
        .isTrue();
    assertThat(
            new DashboardAnswer(200, refused.formatted("rejected_execution_exception"))
                .lacksMemoryOnly(one))
        .isFalse();
    assertThat(new DashboardAnswer(200, "{\"responses\":[{\"status\":200}]}").lacksMemoryOnly(one))
        .isFalse();
  }
}
