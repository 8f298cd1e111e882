package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a search comes in: once, whole, before anything of it is sent. A search that starts over
 * was let in before, unless it asks for more then. Confined to the request's home.
 */
final class SearchAdmission {
  private final AdmissionGate gate;
  private final OutstandingCalls outstandingCalls;
  private AdmissionGate.AdmissionHandle handle = AdmissionGate.ADMITTED;
  private @Nullable Runnable pendingStart;
  private boolean admissionRequested;

  SearchAdmission(AdmissionGate gate, OutstandingCalls calls) {
    this.gate = gate;
    this.outstandingCalls = calls;
    calls.onCancel(this::stopWaiting);
  }

  /**
   * Asks for a search to be let in.
   *
   * @param work what it asks of each shard; null where it is a part of what was let in
   * @param in hears the plan, with the copies first that have room; at once or later
   * @param refused hears why it is not let in; at once or later
   */
  void requestAdmission(
      SearchPlan plan,
      @Nullable NodeCallType work,
      Consumer<SearchPlan> in,
      Consumer<Exception> refused) {
    if (admissionRequested || work == null || canAdmitAllImmediately(plan, work)) {
      admissionRequested = true;
      in.accept(plan);
      return;
    }
    admissionRequested = true;
    pendingStart = () -> in.accept(plan);
    handle =
        outstandingCalls.requestAdmission(
            gate,
            new AdmissionGate.AdmissionRequest(nodeIdsByCall(plan), work),
            told -> {
              if (pendingStart != null) {
                onAdmission(told, plan, work, in, refused);
              } else {
                told.release(); // it was cancelled meanwhile
              }
            });
    if (!handle.isWaiting()) {
      onAdmission(handle, plan, work, in, refused);
    }
  }

  private void onAdmission(
      AdmissionGate.AdmissionHandle told,
      SearchPlan plan,
      NodeCallType work,
      Consumer<SearchPlan> in,
      Consumer<Exception> refused) {
    pendingStart = null;
    handle = told;
    Exception refusal = told.rejection();
    if (refusal == null) {
      in.accept(plan.withNodesFirst(nodeId -> gate.hasCapacity(work, nodeId)));
    } else {
      refused.accept(refusal);
    }
  }

  /** The search starts over with more than it was let in for: it is to be let in once more. */
  void reset() {
    release();
    admissionRequested = false;
  }

  /** The first calls were sent, or the search is over: no room need be kept for it. */
  void release() {
    handle.release();
    handle = AdmissionGate.ADMITTED;
  }

  /** It is cancelled: it goes on to be told so where it would send. */
  private void stopWaiting() {
    Runnable go = pendingStart;
    if (go != null) {
      pendingStart = null;
      release();
      outstandingCalls.executor().execute(go);
    }
  }

  private boolean canAdmitAllImmediately(SearchPlan plan, NodeCallType work) {
    List<PlannedShard> shards = plan.shards();
    for (int i = 0; i < shards.size(); i++) {
      PlannedShard shard = shards.get(i);
      if (!shard.skip()
          && !shard.nodeIds().isEmpty()
          && !gate.canAdmitImmediately(work, shard.nodeIds().getFirst())) {
        return false;
      }
    }
    return true;
  }

  private static List<List<String>> nodeIdsByCall(SearchPlan plan) {
    List<List<String>> calls = new ArrayList<>(plan.shards().size());
    for (PlannedShard shard : plan.shards()) {
      if (!shard.skip() && !shard.nodeIds().isEmpty()) {
        calls.add(
            shard.interchangeable().size() > 1
                ? shard.interchangeable().stream().map(ShardCopy::nodeId).toList()
                : List.of(shard.nodeIds().getFirst()));
      }
    }
    return calls;
  }
}
