package dev.weir.testkit.dashboards;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request of a dashboard: one panel, or many in one {@code _msearch}.
 *
 * @param panels titles of the panels, in the order of the parts of the answer
 * @param path with parameters
 * @param contentType of the body
 * @param body lines of a multi search, or one search
 */
public record DashboardRequest(List<String> panels, String path, String contentType, String body) {
  /** The panels of an ordinary dashboard. */
  public static final int DASHBOARD = 12;

  private static final String PREFERENCE = "1774915200000";

  /** Copies the titles. */
  public DashboardRequest {
    panels = List.copyOf(panels);
  }

  /**
   * Returns the requests of all panels for a range.
   *
   * @param atOnce number of panels that a tool puts into one {@code _msearch}; with 1, Grafana
   *     sends a {@code _msearch} and OpenSearch Dashboards a {@code _search} for each panel
   */
  public static List<DashboardRequest> of(DashboardLogs logs, DashboardRange range, int atOnce) {
    List<DashboardRequest> requests = new ArrayList<>();
    for (DashboardTool tool : DashboardTool.values()) {
      List<DashboardPanel> panels =
          DashboardPanel.all().stream().filter(panel -> panel.tool() == tool).toList();
      for (int from = 0; from < panels.size(); from += atOnce) {
        List<DashboardPanel> part = panels.subList(from, Math.min(panels.size(), from + atOnce));
        requests.add(
            atOnce == 1 && tool == DashboardTool.DASHBOARDS
                ? search(part.getFirst(), logs, range)
                : multiSearch(tool, part, logs, range));
      }
    }
    return requests;
  }

  /** Grafana names the daily indices; OpenSearch Dashboards names the pattern and a preference. */
  private static DashboardRequest multiSearch(
      DashboardTool tool, List<DashboardPanel> panels, DashboardLogs logs, DashboardRange range) {
    String header =
        tool == DashboardTool.GRAFANA
            ? "{\"search_type\":\"query_then_fetch\",\"ignore_unavailable\":true,\"index\":[%s]}\n"
                .formatted(
                    logs.indices(range).stream()
                        .map(index -> '"' + index + '"')
                        .collect(Collectors.joining(",")))
            : "{\"index\":\"%s\",\"ignore_unavailable\":true,\"preference\":\"%s\"}\n"
                .formatted(logs.pattern(), PREFERENCE);
    return new DashboardRequest(
        titles(panels, range),
        "/_msearch?max_concurrent_shard_requests=5",
        "application/x-ndjson",
        panels.stream()
            .map(panel -> header + panel.body(range) + "\n")
            .collect(Collectors.joining()));
  }

  private static DashboardRequest search(
      DashboardPanel panel, DashboardLogs logs, DashboardRange range) {
    String parameters =
        "ignore_unavailable=true&track_total_hits=true&timeout=30000ms&preference="
            + PREFERENCE
            + "&max_concurrent_shard_requests=5";
    return new DashboardRequest(
        titles(List.of(panel), range),
        "/" + logs.pattern() + "/_search?" + parameters,
        "application/json",
        panel.body(range));
  }

  private static List<String> titles(List<DashboardPanel> panels, DashboardRange range) {
    return panels.stream().map(panel -> panel.title() + " (" + range.name() + ")").toList();
  }

  @Override
  public String toString() {
    return panels.size() == 1
        ? panels.getFirst()
        : panels.size() + " panels from [" + panels.getFirst() + "]";
  }
}
