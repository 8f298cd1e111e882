package dev.weir.core.actions.explain;

import dev.weir.cluster.ShardTarget;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.Weighed;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A shard whose copies were put in order, and which of them were asked. Written on the request's
 * home, read on any thread.
 */
final class ChosenShard implements ShardNotes {
  private final RequestChoices request;
  private final String index;
  private final int number;
  private final Work work;
  private final boolean byScore;
  private final Weighed[] copies;
  private final int primary;
  private final @Nullable ChosenShard before;
  private volatile @Nullable AskedCopy newest;

  /**
   * Makes one of which no copy was asked yet.
   *
   * @param byScore whether scores decided, where there was something to choose
   * @param copies in the order in which to try them; nobody changes them any more
   * @param primary which of them is the primary; -1 for none
   * @param before the one of the same request that was put in order before it
   */
  ChosenShard(
      Weighing by,
      ShardTarget target,
      boolean byScore,
      Weighed[] copies,
      int primary,
      @Nullable ChosenShard before) {
    this.request = by.request();
    this.work = by.work();
    this.index = target.shardId().getIndexName();
    this.number = target.shardId().id();
    this.byScore = byScore;
    this.copies = copies;
    this.primary = primary;
    this.before = before;
  }

  @Override
  public void asked(String phase, String nodeId, Why why) {
    if (request.takesCall(why)) {
      newest = new AskedCopy(phase, nodeId, why, request.now(), newest);
    }
  }

  /** The newest that is under way on this node is over. */
  @Override
  public void over(String nodeId, Outcome outcome) {
    if (outcome == Outcome.FAILED) {
      request.remark();
    }
    for (AskedCopy one = newest; one != null; one = one.before()) {
      if (one.outcome() == null && one.nodeId().equals(nodeId)) {
        one.over(outcome, request.now());
        return;
      }
    }
  }

  @Override
  public void startedOver(Set<String> lostNodeIds) {
    request.remark();
    for (AskedCopy one = newest; one != null; one = one.before()) {
      if (one.outcome() == Outcome.ANSWERED) {
        one.revise(lostNodeIds.contains(one.nodeId()) ? Outcome.LOST : Outcome.DISCARDED);
      }
    }
  }

  String index() {
    return index;
  }

  int number() {
    return number;
  }

  Work work() {
    return work;
  }

  boolean byScore() {
    return byScore;
  }

  int copies() {
    return copies.length;
  }

  Weighed copy(int i) {
    return copies[i];
  }

  boolean isPrimary(int i) {
    return i == primary;
  }

  /** The one of the same request that was put in order before it. */
  @Nullable ChosenShard before() {
    return before;
  }

  /** The copy that was asked last; null for none. */
  @Nullable AskedCopy newest() {
    return newest;
  }
}
