package dev.weir.gateway;

import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.core.actions.deadline.DeadlineCounts;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.TaskBanRemover;
import dev.weir.model.PolicySectionRegistry;

/**
 * The deadlines of requests. Safe on any thread.
 *
 * @param policies finds the deadline of a request
 * @param counts counts the outcomes of requests with a deadline
 * @param taskBans removes the bans of cancelled requests from nodes
 */
record DeadlineService(
    PolicyDeadlineResolver policies, DeadlineCounts counts, TaskBanRemover taskBans) {
  static DeadlineService create(
      PolicySectionRegistry<DeadlinePolicy> sections, DelayScheduler delays) {
    return new DeadlineService(
        new PolicyDeadlineResolver(sections), new DeadlineCounts(), new TaskBanRemover(delays));
  }
}
