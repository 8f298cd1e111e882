package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Ranks the copies of a shard in the order in which they should be tried. Safe on any thread.
 *
 * <p>No method takes the probe of an ejected node: the request that is sent there takes it ({@link
 * NodeLoadRecorder#startRequest}). Until then each ranking may put that node first.
 */
@FunctionalInterface
public interface ReplicaSelector {
  /** Returns the selector of a request's policy; this one if it serves all policies. */
  default ReplicaSelector forPolicy(RequestPolicy policy) {
    return this;
  }

  /**
   * Ranks copies in place, best first; initializing copies last. Allocates nothing.
   *
   * @param copies the first {@code count} are the shard's copies, in any order
   */
  void order(ShardCopy[] copies, int count, Phase phase);

  /**
   * Ranks copies for a request of known cost.
   *
   * @param costClass the request's cost class within its phase
   */
  default void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    order(copies, count, phase);
  }

  /**
   * Ranks all copies, best first; initializing copies last.
   *
   * @param copies the shard's copies, in any order; not changed
   * @return a new list of the same copies
   */
  default List<ShardCopy> order(List<ShardCopy> copies, Phase phase) {
    return order(copies, phase, 0);
  }

  /** Ranks all copies for a request of known cost. */
  default List<ShardCopy> order(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    order(ordered, ordered.length, phase, costClass);
    return Arrays.asList(ordered);
  }

  /**
   * Ranks all copies for a request of known cost, and tells whether the first one is a test of its
   * node.
   *
   * @param copies the shard's copies, in any order; not changed
   */
  default RankedCopies rank(List<ShardCopy> copies, Phase phase, int costClass) {
    return new RankedCopies(order(copies, phase, costClass), false);
  }

  /** Returns whether a node gets only what no other node can do. */
  default boolean isDrained(String nodeId) {
    return false;
  }

  /** Returns the share of its usual requests that a node gets, from 0 to 1. */
  default double weight(String nodeId) {
    return 1;
  }

  /**
   * Moves copies on drained nodes behind the other active ones whose nodes can answer, and before
   * those whose nodes can't; otherwise keeps the order.
   *
   * @return the list itself if no node is drained, otherwise a new one that the caller may change
   */
  default List<ShardCopy> drainedLast(List<ShardCopy> ordered, Phase phase) {
    boolean anyDrained = false;
    for (ShardCopy copy : ordered) {
      anyDrained |= isDrained(copy.nodeId());
    }
    if (!anyDrained) {
      return ordered;
    }
    ToIntFunction<ShardCopy> lastness =
        copy ->
            copy.initializing() ? 3 : isDrained(copy.nodeId()) ? 1 : canAnswer(copy, phase) ? 0 : 2;
    List<ShardCopy> moved = new ArrayList<>(ordered);
    moved.sort(Comparator.comparingInt(lastness)); // stable
    return moved;
  }

  /** Scores a copy now, without jitter. Advances no turn. */
  default ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    return ScoreFormula.NONE.unscoredCopy(copy);
  }

  /**
   * Ranks copies that are tried only after others failed: like {@link #order}, but without
   * exploration, and no probe comes first.
   *
   * @param copies in any order; not changed
   * @return a new list of the same copies
   */
  default List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    return order(copies, phase, costClass);
  }

  /**
   * Chooses again among equally good copies right before sending: since the ranking, the same
   * search may have sent requests to their nodes.
   *
   * @param copies as {@link #order} ranked them; at least one
   * @param isFreshlyRanked they were ranked just now, so that the first one may be a test of its
   *     node; false once the request has waited, because that node may have failed since
   */
  default ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    return copies.getFirst();
  }

  /** Returns whether a request that goes to this copy now tests its node, regardless of scores. */
  default boolean isTrialDue(ShardCopy copy, Phase phase) {
    return false;
  }

  /**
   * Returns whether a request that waits at the gateway may take this copy when its node has room;
   * false if a place in another node's queue is worth more.
   */
  default boolean mayWaitFor(ShardCopy copy, Phase phase) {
    return true;
  }

  /** Returns false if the copy's node is ejected, or has stood still for over a second by now. */
  default boolean canAnswer(ShardCopy copy, Phase phase) {
    return true;
  }

  /**
   * Returns the copies at the start of an order for which a request may wait at the gateway. The
   * first one always is: its node may be due for a test. If no copy is better than the first, also
   * those whose nodes can answer; all if none can. A node that can't has room for every request,
   * and fails it. What holds now may not hold while a request waits: after a while let it wait for
   * all copies whose nodes can answer then.
   *
   * @param ordered interchangeable copies in the order of {@link #order}
   */
  default List<ShardCopy> waitableCopies(List<ShardCopy> ordered, Phase phase) {
    int count = Math.min(1, ordered.size());
    while (count < ordered.size() && mayWaitFor(ordered.get(count), phase)) {
      count++;
    }
    boolean noneIsSteady = count == 1 && !mayWaitFor(ordered.getFirst(), phase);
    return noneIsSteady ? answeringCopies(ordered, phase) : ordered.subList(0, count);
  }

  /** Returns the first copy, and those whose nodes can answer; all if none can. */
  private List<ShardCopy> answeringCopies(List<ShardCopy> ordered, Phase phase) {
    List<ShardCopy> answering = new ArrayList<>(ordered.size());
    boolean noneAnswers = true;
    for (ShardCopy copy : ordered) {
      boolean answers = canAnswer(copy, phase);
      noneAnswers &= !answers;
      if (answers || answering.isEmpty()) { // the first copy always
        answering.add(copy);
      }
    }
    return noneAnswers ? ordered : answering;
  }

  /**
   * Returns the copy to try first when a reason other than load prefers the first one: the first
   * one, unless it is clearly overloaded. A copy that is skipped in this way gets a test request
   * now and then.
   *
   * @param preferred in the order of preference; at least one
   * @return an index
   */
  default int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return peekPreferred(preferred, phase, costClass);
  }

  /** Returns the same for display, without jitter; advances no turn. */
  default int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return 0;
  }

  /**
   * Explains how copies would be ranked now. Advances no turn; excludes jitter.
   *
   * @return every copy, best first
   */
  default RankingExplanation explain(List<ShardCopy> copies, Phase phase) {
    return explain(copies, phase, 0);
  }

  /** Explains how copies would be ranked now for a request of this cost class. */
  default RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return RankingExplainer.explainFixedOrder(
        "", order(copies, phase, costClass), phase, "as the selector orders");
  }
}
