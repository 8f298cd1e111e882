package dev.weir.core.coordinate;

import dev.weir.core.coordinate.flow.WriteFlowController;

/**
 * Bounds what the nodes get at once. Safe on any thread.
 *
 * @param admissionGate admits a request when the nodes that it needs have capacity
 * @param writeFlow bounds the bytes of writes in flight to a node, and retries rejected writes
 */
public record NodeCapacity(AdmissionGate admissionGate, WriteFlowController writeFlow) {
  /** Admits every request at once, and retries no rejected write. */
  public static NodeCapacity unbounded() {
    return of(AdmissionGate.ADMIT_ALL);
  }

  /** Retries no rejected write. */
  public static NodeCapacity of(AdmissionGate admissionGate) {
    return new NodeCapacity(admissionGate, WriteFlowController.withoutRetries());
  }
}
