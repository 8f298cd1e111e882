package dev.weir.gateway;

import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.core.actions.DeadlineCounts;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.TaskBanRemover;
import dev.weir.model.DisplayFormat;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.PrometheusMetrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The deadlines of requests, and how they ended. Safe on any thread.
 *
 * @param policies says which request has which
 * @param counts how those ended that have one
 * @param taskBans has nodes forget what they were told to refuse
 */
record DeadlineService(
    PolicyDeadlineResolver policies, DeadlineCounts counts, TaskBanRemover taskBans) {
  static DeadlineService create(
      PolicySectionRegistry<DeadlinePolicy> sections, DelayScheduler delays) {
    return new DeadlineService(
        new PolicyDeadlineResolver(sections), new DeadlineCounts(), new TaskBanRemover(delays));
  }

  Map<String, Object> stats() {
    Map<String, Object> ends = new LinkedHashMap<>();
    for (DeadlineCounts.DeadlineOutcome end : DeadlineCounts.DeadlineOutcome.values()) {
      ends.put(DisplayFormat.toKebabCase(end), counts.total(end));
    }
    ends.put("ban_removals", taskBans.completedRemovals());
    ends.put("ban_removal_failures", taskBans.failedRemovals());
    ends.put("pending_ban_removals", taskBans.pendingRemovals());
    return ends;
  }

  void bind(PrometheusMetrics metrics) {
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
