package dev.weir.core.actions.deadline;

import dev.weir.core.coordinate.TaskBanRemover;
import dev.weir.model.DisplayFormat;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports how requests with a deadline ended, and the removal of task bans: the section {@code
 * deadlines} of {@code /stats}, and its metrics.
 */
public record DeadlineStatsReporter(DeadlineCounts counts, TaskBanRemover taskBans)
    implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> ends = new LinkedHashMap<>();
    for (DeadlineCounts.DeadlineOutcome end : DeadlineCounts.DeadlineOutcome.values()) {
      ends.put(DisplayFormat.toKebabCase(end), counts.total(end));
    }
    ends.put("ban_removals", taskBans.completedRemovals());
    ends.put("ban_removal_failures", taskBans.failedRemovals());
    ends.put("pending_ban_removals", taskBans.pendingRemovals());
    return Map.of("deadlines", ends);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<DeadlineCounts.DeadlineOutcome>(
                () -> List.of(DeadlineCounts.DeadlineOutcome.values()),
                end -> Map.of("outcome", DisplayFormat.toKebabCase(end)),
                List.of(
                    Column.counter(
                        "weir_deadline_requests",
                        "Requests with a deadline, by outcome",
                        counts::total))))
        .counter(
            "weir_task_ban_removals",
            "Task bans of cancelled requests that nodes removed on the gateway's request",
            taskBans::completedRemovals)
        .counter(
            "weir_task_ban_removal_failures",
            "Task bans that a node still has after all attempts to remove them",
            taskBans::failedRemovals);
  }
}
