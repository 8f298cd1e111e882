package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.List;

/** Puts the copies of a shard in the order in which they should be tried. Safe on any thread. */
@FunctionalInterface
public interface ReplicaSelector {
  /** The selector of a request's policy; this one where it is the same for all. */
  default ReplicaSelector forPolicy(RequestPolicy policy) {
    return this;
  }

  /**
   * Puts copies in order in place, best first; initializing copies last. Allocates nothing.
   *
   * @param copies the first {@code count} are the shard's copies, in any order
   */
  void order(ShardCopy[] copies, int count, Phase phase);

  /**
   * Puts copies in order for a request whose cost is known.
   *
   * @param costClass of the request, within its phase
   */
  default void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    order(copies, count, phase);
  }

  /**
   * A whole ordered plan, best first; initializing copies last.
   *
   * @param copies the shard's copies, in any order; not changed
   * @return a new list of the same copies
   */
  default List<ShardCopy> order(List<ShardCopy> copies, Phase phase) {
    return order(copies, phase, 0);
  }

  /** A whole ordered plan for a request whose cost is known. */
  default List<ShardCopy> order(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    order(ordered, ordered.length, phase, costClass);
    return Arrays.asList(ordered);
  }

  /** What a copy is weighed by now, without chance. Takes no turn and no probe. */
  default ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    return ScoreFormula.NONE.unscoredCopy(copy);
  }

  /**
   * Puts copies in order that are tried only after others have failed: as {@link #order} does, but
   * none comes first for the sake of what its node would tell. Takes no probe.
   *
   * @param copies in any order; not changed
   * @return a new list of the same copies
   */
  default List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    return order(copies, phase, costClass);
  }

  /**
   * Chooses again among equally good copies, right before the request is sent: since they were put
   * in order, the same search may have sent requests to their nodes. Takes no probe.
   *
   * @param copies as {@link #order} put them; at least one
   * @param isFreshlyRanked whether they were put in order just now, so that the first may stand
   *     there because its node needs a trial request
   */
  default ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    return copies.getFirst();
  }

  /**
   * Which of several copies is tried first although the first one is preferred for another reason
   * than its load: that one, unless it is clearly overloaded. One that was passed over so gets a
   * request now and then, to see how it does.
   *
   * @param preferred in the order of preference; at least one
   * @return an index
   */
  default int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return peekPreferred(preferred, phase, costClass);
  }

  /** The same for display, without chance; takes no turn and no probe. */
  default int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return 0;
  }

  /**
   * Why copies would be put in which order now. Takes no turn and no probe; leaves out chance.
   *
   * @return every copy, best first
   */
  default RankingExplanation explain(List<ShardCopy> copies, Phase phase) {
    return explain(copies, phase, 0);
  }

  /** Why copies would be put in which order now, for a request of this class. */
  default RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return RankingExplainer.explainFixedOrder(
        "", order(copies, phase, costClass), phase, "as the selector orders");
  }
}
