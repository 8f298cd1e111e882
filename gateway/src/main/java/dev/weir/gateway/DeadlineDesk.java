package dev.weir.gateway;

import dev.weir.admission.deadline.RequestDeadlines;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.core.actions.DeadlineCounts;
import dev.weir.core.coordinate.Delays;
import dev.weir.core.coordinate.TaskBans;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.model.PolicySections;
import dev.weir.model.Shown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The deadlines of requests, and how they ended. Safe on any thread.
 *
 * @param rules says which request has which
 * @param counts how those ended that have one
 * @param bans has nodes forget what they were told to refuse
 */
record DeadlineDesk(RequestDeadlines rules, DeadlineCounts counts, TaskBans bans) {
  static DeadlineDesk of(PolicySections<DeadlinePolicy> sections, Delays delays) {
    return new DeadlineDesk(
        new RequestDeadlines(sections), new DeadlineCounts(), new TaskBans(delays));
  }

  Map<String, Object> stats() {
    Map<String, Object> ends = new LinkedHashMap<>();
    for (DeadlineCounts.End end : DeadlineCounts.End.values()) {
      ends.put(Shown.word(end), counts.of(end));
    }
    ends.put("bans_lifted", bans.lifted());
    ends.put("bans_not_lifted", bans.lost());
    ends.put("bans_to_lift", bans.unlifted());
    return ends;
  }

  void bind(Metrics metrics) {
    metrics
        .table(
            new NodeTable<DeadlineCounts.End>(
                () -> List.of(DeadlineCounts.End.values()),
                end -> Map.of("end", Shown.word(end)),
                List.of(
                    Column.counter(
                        "weir_deadlines",
                        "Requests with a deadline, by how they ended",
                        counts::of))))
        .counter(
            "weir_task_bans_lifted",
            "Bans of cancelled requests' tasks that nodes were told to forget, and did",
            bans::lifted)
        .counter(
            "weir_task_bans_lost",
            "Bans of cancelled requests' tasks that a node could not be told to forget",
            bans::lost);
  }
}
