package dev.weir.gateway;

import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.core.actions.DeadlineCounts;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.TaskBanRemover;
import dev.weir.model.PolicySectionRegistry;

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
}
