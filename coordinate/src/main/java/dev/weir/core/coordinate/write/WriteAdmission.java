package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.AdmissionGate;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Asks for admission of a whole write once, before any of its operations is sent to a shard.
 * Retried operations stay admitted. Confined to the request's event loop.
 */
final class WriteAdmission {
  private final AdmissionGate gate;
  private final RequestContext context;
  private boolean admissionRequested;

  WriteAdmission(AdmissionGate gate, RequestContext context) {
    this.gate = gate;
    this.context = context;
  }

  /**
   * Asks for admission.
   *
   * @param onAdmitted sends all operations; at once or later, never after a cancellation
   * @param onRejected hears why they are rejected; at once or later, never after a cancellation
   */
  void requestAdmission(
      List<? extends WriteOperation<?>> parts,
      ClusterView view,
      Runnable onAdmitted,
      Consumer<Exception> onRejected) {
    if (admissionRequested) {
      onAdmitted.run();
      return;
    }
    admissionRequested = true;
    List<List<String>> calls = new ArrayList<>(parts.size());
    NodeCallType costliest = NodeCallType.WRITE;
    boolean atOnce = true;
    for (WriteOperation<?> part : parts) {
      NodeCallType work = part.work();
      costliest = work.costClass() > costliest.costClass() ? work : costliest;
      if (part.target(view) instanceof WriteTarget.Node(String nodeId)) {
        calls.add(List.of(nodeId));
        atOnce &= gate.canAdmitImmediately(work, nodeId, 1, context);
      }
    }
    if (atOnce) {
      onAdmitted.run();
      return;
    }
    AdmissionGate.AdmissionHandle entry =
        gate.requestAdmission(
            new AdmissionGate.AdmissionRequest(calls, costliest),
            context,
            decided -> onAdmission(decided, onAdmitted, onRejected));
    if (entry.isWaiting()) {
      context.onCancel(entry::release);
    } else {
      onAdmission(entry, onAdmitted, onRejected);
    }
  }

  private void onAdmission(
      AdmissionGate.AdmissionHandle entry, Runnable onAdmitted, Consumer<Exception> onRejected) {
    Exception refusal = entry.rejection();
    try {
      if (context.cancelReason() != null) {
        return;
      }
      if (refusal == null) {
        onAdmitted.run();
      } else {
        onRejected.accept(refusal);
      }
    } finally {
      entry.release();
    }
  }
}
