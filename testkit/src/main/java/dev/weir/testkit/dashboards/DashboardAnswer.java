package dev.weir.testkit.dashboards;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The answer to a dashboard's request.
 *
 * @param status the HTTP status
 * @param body its text
 */
public record DashboardAnswer(int status, String body) {
  private static final int SUCCESS = 200;
  private static final int CONTEXT = 80;

  /** The statuses of parts and errors: no document of {@link DashboardLogs} has such a field. */
  private static final Pattern STATUS = Pattern.compile("\"status\":(\\d{3})\\b");

  private static final Pattern ERROR =
      Pattern.compile("\"type\":\"([a-z_]+exception)\",\"reason\":\"([^\"]{0,160})");

  /**
   * Times, how many shards were left out early, and the documents that significant terms were
   * compared with: a shard without a match answers with them only if it is among the first.
   */
  private static final Pattern VOLATILE =
      Pattern.compile("\"(took|skipped|bg_count|score)\":[-+.0-9E]+");

  /** Returns which panels got no result, each with its status. */
  public List<String> failedPanels(DashboardRequest request) {
    List<String> failed = new ArrayList<>();
    if (status != SUCCESS) {
      request.panels().forEach(panel -> failed.add(panel + ": " + status));
      return failed;
    }
    if (request.path().contains("_msearch")) {
      int part = 0;
      for (Matcher found = STATUS.matcher(body); found.find(); part++) {
        if (Integer.parseInt(found.group(1)) != SUCCESS && part < request.panels().size()) {
          failed.add(request.panels().get(part) + ": " + found.group(1));
        }
      }
      for (; part < request.panels().size(); part++) {
        failed.add(request.panels().get(part) + ": no answer");
      }
    }
    return failed;
  }

  /** Returns whether panels got no result, and all of them because memory was short. */
  public boolean lacksMemoryOnly(DashboardRequest request) {
    List<String> failed = failedPanels(request);
    return !failed.isEmpty()
        && failed.stream().allMatch(panel -> panel.endsWith(": 429"))
        && firstError().startsWith("circuit_breaking_exception");
  }

  /** Returns the first error of the body with its reason; empty for a body without one. */
  public String firstError() {
    Matcher error = ERROR.matcher(body);
    return error.find() ? error.group(1) + ": " + error.group(2) : "";
  }

  /** Returns whether another endpoint answered the same. */
  public boolean equalsBesideTimes(DashboardAnswer other) {
    return status == other.status && comparable().equals(other.comparable());
  }

  /** Returns where this answer, a node's, and another one begin to differ. */
  public String difference(DashboardAnswer other) {
    String mine = comparable();
    String its = other.comparable();
    int at = 0;
    while (at < Math.min(mine.length(), its.length()) && mine.charAt(at) == its.charAt(at)) {
      at++;
    }
    return "node %d ...%s..., other %d ...%s..."
        .formatted(status, excerpt(mine, at), other.status, excerpt(its, at));
  }

  private String comparable() {
    return VOLATILE.matcher(body).replaceAll("\"$1\":0");
  }

  private static String excerpt(String text, int at) {
    return text.substring(Math.max(0, at - CONTEXT), Math.min(text.length(), at + CONTEXT));
  }
}
