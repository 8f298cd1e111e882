package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.config.policy.QueuePolicy;

/** Counts concurrent calls per node. */
public final class NodeLanesFixture {
  private NodeLanesFixture() {}

  public static NodeConcurrencyLimiters any() {
    return new AdmissionQueues<String>(
            QueuePolicy.defaults(), System::nanoTime, tenant -> 1, place -> {})
        .limiters();
  }
}
