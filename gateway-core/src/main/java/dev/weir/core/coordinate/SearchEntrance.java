package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a search comes in: once, whole, before anything of it is sent. A search that starts over
 * was let in before, unless it asks for more then. Confined to the request's home.
 */
final class SearchEntrance {
  private final AdmissionGate gate;
  private final OutstandingCalls calls;
  private AdmissionGate.Entry entry = AdmissionGate.IN;
  private @Nullable Runnable going;
  private boolean asked;

  SearchEntrance(AdmissionGate gate, OutstandingCalls calls) {
    this.gate = gate;
    this.calls = calls;
    calls.whenCancelled(this::waitNoMore);
  }

  /**
   * Asks for a search to be let in.
   *
   * @param work what it asks of each shard; null where it is a part of what was let in
   * @param in hears the plan, with the copies first that have room; at once or later
   * @param refused hears why it is not let in; at once or later
   */
  void enter(
      SearchPlan plan, @Nullable Work work, Consumer<SearchPlan> in, Consumer<Exception> refused) {
    if (asked || work == null || allAtOnce(plan, work)) {
      asked = true;
      in.accept(plan);
      return;
    }
    asked = true;
    going = () -> in.accept(plan);
    entry =
        calls.ask(
            gate,
            new AdmissionGate.Asked(calls(plan), work),
            told -> {
              if (going != null) {
                stands(told, plan, work, in, refused);
              } else {
                told.leave(); // it was cancelled meanwhile
              }
            });
    if (!entry.waits()) {
      stands(entry, plan, work, in, refused);
    }
  }

  private void stands(
      AdmissionGate.Entry told,
      SearchPlan plan,
      Work work,
      Consumer<SearchPlan> in,
      Consumer<Exception> refused) {
    going = null;
    entry = told;
    Exception refusal = told.refusal();
    if (refusal == null) {
      in.accept(plan.preferring(nodeId -> gate.hasRoom(work, nodeId)));
    } else {
      refused.accept(refusal);
    }
  }

  /** The search starts over with more than it was let in for: it is to be let in once more. */
  void anew() {
    sent();
    asked = false;
  }

  /** The first calls were sent, or the search is over: no room need be kept for it. */
  void sent() {
    entry.leave();
    entry = AdmissionGate.IN;
  }

  /** It is cancelled: it goes on to be told so where it would send. */
  private void waitNoMore() {
    Runnable go = going;
    if (go != null) {
      going = null;
      sent();
      calls.later().execute(go);
    }
  }

  private boolean allAtOnce(SearchPlan plan, Work work) {
    List<PlannedShard> shards = plan.shards();
    for (int i = 0; i < shards.size(); i++) {
      PlannedShard shard = shards.get(i);
      if (!shard.skip()
          && !shard.nodes().isEmpty()
          && !gate.atOnce(work, shard.nodes().getFirst())) {
        return false;
      }
    }
    return true;
  }

  private static List<List<String>> calls(SearchPlan plan) {
    List<List<String>> calls = new ArrayList<>(plan.shards().size());
    for (PlannedShard shard : plan.shards()) {
      if (!shard.skip() && !shard.nodes().isEmpty()) {
        calls.add(
            shard.free().size() > 1
                ? shard.free().stream().map(ShardCopy::nodeId).toList()
                : List.of(shard.nodes().getFirst()));
      }
    }
    return calls;
  }
}
