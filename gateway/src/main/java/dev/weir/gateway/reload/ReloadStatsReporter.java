package dev.weir.gateway.reload;

import dev.weir.config.policy.PolicyTree;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reports the configuration in force: the page {@code /config}, and the metrics of reloads. */
public record ReloadStatsReporter(ActivePolicy active) implements StatsReporter {
  @Override
  public void addPages(AdminPageRegistry site) {
    site.get("/config", () -> AdminResponse.json(200, config()));
  }

  private Map<String, Object> config() {
    ActivePolicy.State state = active.state();
    Map<String, Object> body = PolicyTree.toMap(state.policy(), state.overriddenKeys());
    Map<String, Object> reload = new LinkedHashMap<>();
    reload.put("applied", active.appliedCount());
    reload.put("rejected", active.rejectedCount());
    reload.put("problems", state.problems());
    reload.put("restart_required", state.restartKeys());
    body.put("reload", reload);
    return body;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_config_rejected",
            "1 while the configuration file is invalid and the previous configuration is in force",
            () -> active.state().problems().isEmpty() ? 0 : 1)
        .gauge(
            "weir_config_restart_required_keys",
            "Changed configuration keys that take effect at the next start",
            () -> active.state().restartKeys().size());
    metrics.table(
        new MetricTable<String>(
            () -> List.of("applied", "rejected"),
            result -> Map.of("result", result),
            List.of(
                Column.counter(
                    "weir_config_reloads",
                    "Changed configuration files, by result",
                    result ->
                        result.equals("applied")
                            ? active.appliedCount()
                            : active.rejectedCount()))));
  }
}
