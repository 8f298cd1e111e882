package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeLanes;
import dev.weir.config.policy.QueuePolicy;

/** Counts of what nodes have at once. */
final class Lanes {
  private Lanes() {}

  static NodeLanes any() {
    return new AdmissionQueues<String>(
            QueuePolicy.standard(), System::nanoTime, tenant -> 1, place -> {})
        .lanes();
  }
}
