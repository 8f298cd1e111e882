package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where a write comes in: once, whole, before any of its pieces is sent to a shard. What comes back
 * to be sent again was let in before. Confined to the request's home.
 */
final class WriteEntrance {
  private final AdmissionGate gate;
  private final RequestContext context;
  private boolean asked;

  WriteEntrance(AdmissionGate gate, RequestContext context) {
    this.gate = gate;
    this.context = context;
  }

  /**
   * Asks for pieces to be let in.
   *
   * @param in sends them all; at once or later, not after a cancellation
   * @param refused hears why they are not let in; at once or later, not after a cancellation
   */
  void enter(
      List<? extends WritePart<?>> parts,
      ClusterView view,
      Runnable in,
      Consumer<Exception> refused) {
    if (asked) {
      in.run();
      return;
    }
    asked = true;
    List<List<String>> calls = new ArrayList<>(parts.size());
    Work costliest = Work.WRITE;
    boolean atOnce = true;
    for (WritePart<?> part : parts) {
      Work work = part.work();
      costliest = work.costClass() > costliest.costClass() ? work : costliest;
      if (part.target(view) instanceof WriteTarget.Node(String nodeId)) {
        calls.add(List.of(nodeId));
        atOnce &= gate.atOnce(work, nodeId);
      }
    }
    if (atOnce) {
      in.run();
      return;
    }
    AdmissionGate.Entry entry =
        gate.ask(
            new AdmissionGate.Asked(calls, costliest), context, told -> stands(told, in, refused));
    if (entry.waits()) {
      context.onCancel(entry::leave);
    } else {
      stands(entry, in, refused);
    }
  }

  private void stands(AdmissionGate.Entry entry, Runnable in, Consumer<Exception> refused) {
    Exception refusal = entry.refusal();
    try {
      if (context.cancelReason() != null) {
        return;
      }
      if (refusal == null) {
        in.run();
      } else {
        refused.accept(refusal);
      }
    } finally {
      entry.leave();
    }
  }
}
