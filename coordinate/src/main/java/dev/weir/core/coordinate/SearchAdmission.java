package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Asks for admission of a whole search once, before it sends anything. A search that starts over
 * stays admitted, unless it needs more than before. Confined to the request's event loop.
 */
final class SearchAdmission {
  /**
   * How long a request waits for the best of equal copies alone: their nodes may stand still by
   * then.
   */
  static final Duration MAX_WAIT_FOR_BEST = Duration.ofMillis(100);

  private static final Duration MAX_RESERVED_TIME = Duration.ofMillis(100);

  private final AdmissionGate gate;
  private final OutstandingCalls outstandingCalls;
  private AdmissionGate.AdmissionHandle handle = AdmissionGate.ADMITTED;

  private @Nullable Runnable pendingStart;
  private @Nullable Runnable timerCanceller;
  private boolean admissionRequested;
  private boolean hasWaited;

  /** Nodes whose copies rank first though they don't respond: the search tests them. */
  private Set<String> testedNodeIds = Set.of();

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
    hasWaited = false;
    SearchPlan asked = withOneTestPerNode(plan);
    if (canAdmitAllImmediately(asked, work)) {
      onAdmitted.accept(preferNodesWithCapacity(asked, work));
      return;
    }
    pendingStart = () -> onAdmitted.accept(asked);
    Consumer<AdmissionGate.AdmissionHandle> decision =
        decided -> onAdmission(decided, asked, work, onAdmitted, onRejected);
    List<List<String>> best = nodeIdsByCall(asked, copies -> waitable(copies, work));
    handle = waitFor(best, asked, work, decision);
    if (!handle.isWaiting()) {
      decision.accept(handle);
      return;
    }
    hasWaited = true;
    testedNodeIds = findTestedNodes(asked);
    List<List<String>> all = nodeIdsByCall(asked, copies -> copies);
    if (!all.equals(best)) {
      widenAfter(MAX_WAIT_FOR_BEST, best, all);
    }
  }

  /** Lets the search wait for more nodes: those that can answer then, and again later. */
  private void widenAfter(Duration delay, List<List<String>> best, List<List<String>> all) {
    timerCanceller =
        outstandingCalls.scheduleCancellable(
            delay,
            () -> {
              timerCanceller = null;
              List<List<String>> widened = widenedCalls(best, all);
              if (!widened.equals(all)) {
                widenAfter(delay.multipliedBy(2), best, all);
              }
              handle.widen(widened);
            });
  }

  /**
   * Leaves at most one shard whose first copy tests a node that can't answer: the others would be
   * lost there too. Chance decides which one: a shard that is skipped later tests nothing.
   */
  private SearchPlan withOneTestPerNode(SearchPlan plan) {
    Map<String, List<Integer>> testsByNode = null;
    for (int at = 0; at < plan.shards().size(); at++) {
      PlannedShard shard = plan.shards().get(at);
      if (!shard.skip() && shard.interchangeable().size() > 1) {
        String first = shard.nodeIds().getFirst();
        if (!outstandingCalls.tail().canRespond(first)) {
          testsByNode = testsByNode == null ? new HashMap<>() : testsByNode;
          testsByNode.computeIfAbsent(first, node -> new ArrayList<>()).add(at);
        }
      }
    }
    if (testsByNode == null) {
      return plan;
    }
    Set<Integer> tests = new HashSet<>();
    for (List<Integer> shards : testsByNode.values()) {
      tests.add(shards.get(ThreadLocalRandom.current().nextInt(shards.size())));
    }
    return plan.withNodesFirst(at -> !tests.contains(at), newResponseCheck());
  }

  private List<List<String>> widenedCalls(List<List<String>> best, List<List<String>> all) {
    Predicate<String> responds = newResponseCheck();
    List<List<String>> widened = new ArrayList<>(all.size());
    for (int call = 0; call < all.size(); call++) {
      widened.add(widened(best.get(call), all.get(call), responds));
    }
    return widened;
  }

  /**
   * Returns what a request may use that has waited for some of its choices: these, and the others
   * that can answer now; all if none can. A node that can't answer has room for every request, and
   * fails it.
   */
  static <T> List<T> widened(List<T> waitedFor, List<T> all, Predicate<T> canAnswer) {
    return all.stream().noneMatch(canAnswer)
        ? all
        : all.stream()
            .filter(choice -> waitedFor.contains(choice) || canAnswer.test(choice))
            .toList();
  }

  /** Returns a check of whether a node responds, which looks at each node once. */
  private Predicate<String> newResponseCheck() {
    Map<String, Boolean> responds = new HashMap<>();
    return nodeId -> responds.computeIfAbsent(nodeId, outstandingCalls.tail()::canRespond);
  }

  private Set<String> findTestedNodes(SearchPlan plan) {
    Predicate<String> responds = newResponseCheck();
    Set<String> tested = new HashSet<>();
    for (PlannedShard shard : plan.shards()) {
      if (shard.interchangeable().size() > 1 && !responds.test(shard.nodeIds().getFirst())) {
        tested.add(shard.nodeIds().getFirst());
      }
    }
    return tested;
  }

  /**
   * Waits until nodes for all calls have capacity.
   *
   * @param decision hears the outcome, unless the search was cancelled or admitted meanwhile
   */
  private AdmissionGate.AdmissionHandle waitFor(
      List<List<String>> nodeIdsByCall,
      SearchPlan plan,
      NodeCallType work,
      Consumer<AdmissionGate.AdmissionHandle> decision) {
    return outstandingCalls.requestAdmission(
        gate,
        new AdmissionGate.AdmissionRequest(
            nodeIdsByCall, work, plan.rules().maxConcurrentPerNode()),
        decided -> {
          if (pendingStart != null) {
            decision.accept(decided);
          } else {
            decided.release();
          }
        });
  }

  private List<ShardCopy> waitable(List<ShardCopy> copies, NodeCallType work) {
    return outstandingCalls.waitableCopies(copies, work);
  }

  private void onAdmission(
      AdmissionGate.AdmissionHandle admitted,
      SearchPlan plan,
      NodeCallType work,
      Consumer<SearchPlan> onAdmitted,
      Consumer<Exception> onRejected) {
    endWait();
    handle = admitted;
    Exception refusal = admitted.rejection();
    if (refusal == null) {
      boolean begun = false;
      try {
        onAdmitted.accept(preferNodesWithCapacity(plan, work));
        begun = true;
      } finally {
        if (!begun) {
          release();
        }
      }
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
    return withoutFailedNodes(plan)
        .withNodesFirst(nodeId ->
            capacityByNode.computeIfAbsent(
                nodeId,
                asked ->
                    handle.isReservedOn(asked) || outstandingCalls.hasCapacity(gate, work, asked)));
  }

  /**
   * Leaves no choice of a node that has failed while the search waited: as the first one, it would
   * be taken for a test of its node.
   */
  private SearchPlan withoutFailedNodes(SearchPlan plan) {
    if (!hasWaited) {
      return plan;
    }
    Predicate<String> responds = newResponseCheck();
    return plan.withNodesFirst(nodeId -> testedNodeIds.contains(nodeId) || responds.test(nodeId));
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
    cancelTimer();
  }

  /**
   * Keeps the reserved capacity for the time that a round without counted calls usually takes, and
   * no longer: a node of that round may stand still.
   */
  void releaseSoon() {
    if (!handle.equals(AdmissionGate.ADMITTED)) {
      cancelTimer();
      timerCanceller = outstandingCalls.scheduleCancellable(MAX_RESERVED_TIME, this::release);
    }
  }

  /** Resumes a cancelled search, which fails where it would send its first call. */
  private void stopWaiting() {
    Runnable go = pendingStart;
    if (go != null) {
      endWait();
      release();
      outstandingCalls.executor().execute(go);
    }
  }

  private void endWait() {
    pendingStart = null;
    cancelTimer();
  }

  private void cancelTimer() {
    if (timerCanceller != null) {
      timerCanceller.run();
      timerCanceller = null;
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

  /**
   * The nodes for each call.
   *
   * @param choice of a shard's interchangeable copies
   */
  private static List<List<String>> nodeIdsByCall(
      SearchPlan plan, UnaryOperator<List<ShardCopy>> choice) {
    List<List<String>> calls = new ArrayList<>(plan.shards().size());
    for (PlannedShard shard : plan.shards()) {
      if (!shard.skip() && !shard.nodeIds().isEmpty()) {
        calls.add(
            shard.interchangeable().size() > 1
                ? choice.apply(shard.interchangeable()).stream().map(ShardCopy::nodeId).toList()
                : List.of(shard.nodeIds().getFirst()));
      }
    }
    return calls;
  }
}
