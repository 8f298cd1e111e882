package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks for admission of a whole search once, before it sends anything. A search that starts over
 * stays admitted, unless it needs more than before. Confined to the request's event loop.
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
   * Asks for admission.
   *
   * @param work what the search causes on each shard; null for a part of an admitted search
   * @param onAdmitted hears the plan, which chooses among copies whose nodes have capacity, and has
   *     the others as fallback; at once or later
   * @param onRejected hears why the search is rejected; at once or later
   */
  void requestAdmission(
      SearchPlan plan,
      @Nullable NodeCallType work,
      Consumer<SearchPlan> onAdmitted,
      Consumer<Exception> onRejected) {
    if (admissionRequested || work == null) { // work in progress
      admissionRequested = true;
      onAdmitted.accept(plan);
      return;
    }
    admissionRequested = true;
    if (canAdmitAllImmediately(plan, work)) {
      onAdmitted.accept(preferNodesWithCapacity(plan, work));
      return;
    }
    pendingStart = () -> onAdmitted.accept(plan);
    handle =
        outstandingCalls.requestAdmission(
            gate,
            new AdmissionGate.AdmissionRequest(
                nodeIdsByCall(plan), work, plan.rules().maxConcurrentPerNode()),
            admitted -> {
              if (pendingStart != null) {
                onAdmission(admitted, plan, work, onAdmitted, onRejected);
              } else {
                admitted.release(); // the search was cancelled while it waited
              }
            });
    if (!handle.isWaiting()) {
      onAdmission(handle, plan, work, onAdmitted, onRejected);
    }
  }

  private void onAdmission(
      AdmissionGate.AdmissionHandle admitted,
      SearchPlan plan,
      NodeCallType work,
      Consumer<SearchPlan> onAdmitted,
      Consumer<Exception> onRejected) {
    pendingStart = null;
    handle = admitted;
    Exception refusal = admitted.rejection();
    if (refusal == null) {
      onAdmitted.accept(preferNodesWithCapacity(plan, work));
    } else {
      onRejected.accept(refusal);
    }
  }

  /**
   * Leaves the choice among copies only where nodes have capacity for the tenant. A node on which
   * this search has reserved capacity may be full because of that.
   */
  private SearchPlan preferNodesWithCapacity(SearchPlan plan, NodeCallType work) {
    Map<String, Boolean> capacityByNode = new HashMap<>();
    return plan.withNodesFirst(nodeId ->
        capacityByNode.computeIfAbsent(
            nodeId,
            asked ->
                handle.isReservedOn(asked) || outstandingCalls.hasCapacity(gate, work, asked)));
  }

  /**
   * Requires admission once more, because the search starts over with more shards than were
   * admitted.
   */
  void reset() {
    release();
    admissionRequested = false;
  }

  /** Gives the reserved capacity back, after the first calls were sent or the search has ended. */
  void release() {
    handle.release();
    handle = AdmissionGate.ADMITTED;
  }

  /** Resumes a cancelled search, which fails where it would send its first call. */
  private void stopWaiting() {
    Runnable go = pendingStart;
    if (go != null) {
      pendingStart = null;
      release();
      outstandingCalls.executor().execute(go);
    }
  }

  private boolean canAdmitAllImmediately(SearchPlan plan, NodeCallType work) {
    Map<String, Integer> callsByNode = new HashMap<>();
    for (PlannedShard shard : plan.shards()) {
      if (!shard.skip() && !shard.nodeIds().isEmpty()) {
        callsByNode.merge(shard.nodeIds().getFirst(), 1, Integer::sum);
      }
    }
    for (Map.Entry<String, Integer> node : callsByNode.entrySet()) {
      int atOnce = Math.min(node.getValue(), plan.rules().maxConcurrentPerNode());
      if (!outstandingCalls.canAdmitImmediately(gate, work, node.getKey(), atOnce)) {
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
