package dev.weir.gateway.cluster;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.WriteTransforms;
import dev.weir.core.coordinate.QueuedAdmissionGate;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.gateway.admission.RejectionRecorder;

/**
 * Admits requests to one cluster's nodes, and shapes the writes that they get. Safe on any thread.
 *
 * @param gate admits a request when the nodes that it needs have capacity
 * @param writeFlow bounds the bytes of writes in flight to a node, and retries rejected writes
 * @param writeTransforms truncates values and merges small bulks, by policy
 */
public record NodeAdmission(
    QueuedAdmissionGate gate, WriteFlowController writeFlow, WriteTransforms writeTransforms) {

  static NodeAdmission create(GatewayPolicy policy, SharedResources shared) {
    RejectionRecorder rejections = shared.limits().rejections();
    QueuedAdmissionGate gate =
        new QueuedAdmissionGate(
            policy.admission().queue(),
            policy.admission().tenants(),
            rejections::recordQueue,
            System::nanoTime,
            shared.scheduler());
    gate.queues().setMaxNodeWriteBytes(policy.bulk().maxInFlightBytesPerNode().bytes());
    return new NodeAdmission(
        gate,
        new WriteFlowController(
            gate.lanes(),
            policy.bulk().retry(),
            SharedResources.RANDOM,
            rejections::recordLateWrite),
        WriteTransforms.create(
            shared.policySections().narrow(PolicySettings::bulk), System::nanoTime));
  }

  /** Whether requests wait for nodes. */
  public boolean hasWaitingRequests() {
    return gate.queues().waiting() > 0;
  }

  /** Applies changed settings of writes. */
  public void updateBulk(BulkPolicy changed) {
    writeFlow.updatePolicy(changed.retry());
    gate.queues().setMaxNodeWriteBytes(changed.maxInFlightBytesPerNode().bytes());
  }

  /** Applies changed settings of the queues. */
  public void updateAdmission(AdmissionPolicy changed) {
    gate.updatePolicy(changed.queue(), changed.tenants());
  }
}
