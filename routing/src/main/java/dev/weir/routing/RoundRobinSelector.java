package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.random.RandomGenerator;

/**
 * Rotates through a shard's copies, regardless of load; initializing copies last. Every shard has
 * its own counter (by a hash of its copies), so that a search over several shards does not
 * synchronize them.
 */
final class RoundRobinSelector implements ReplicaSelector {
  private static final int TURNS = 1024;
  private static final ScoreFormula FORMULA = new ScoreFormula("round-robin", "", List.of());

  private final AtomicIntegerArray turns = new AtomicIntegerArray(TURNS);

  /**
   * Creates a selector.
   *
   * @param random initializes the counters
   */
  RoundRobinSelector(RandomGenerator random) {
    for (int i = 0; i < TURNS; i++) {
      turns.set(i, random.nextInt());
    }
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    int ready = readyFirst(copies, count);
    if (ready < 2) {
      return;
    }
    int shard = phase.ordinal();
    for (int i = 0; i < count; i++) {
      // independent of the copies' order
      shard += copies[i].allocationId().hashCode() * 0x9E3779B9 + copies[i].nodeId().hashCode();
    }
    int turn = turns.getAndIncrement(Math.floorMod(shard * 0x9E3779B9, TURNS));
    int first = Math.floorMod(turn, ready);
    // three reversals rotate in place
    reverse(copies, 0, first);
    reverse(copies, first, ready);
    reverse(copies, 0, ready);
  }

  @Override
  public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    return FORMULA.unscoredCopy(copy);
  }

  @Override
  public RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ready = copies.toArray(new ShardCopy[0]);
    readyFirst(ready, ready.length);
    return RankingExplainer.explainFixedOrder(
        "round-robin", List.of(ready), phase, "takes its turn");
  }

  private static int readyFirst(ShardCopy[] copies, int count) {
    int ready = 0;
    for (int i = 0; i < count; i++) {
      ShardCopy copy = copies[i];
      if (!copy.initializing()) {
        System.arraycopy(copies, ready, copies, ready + 1, i - ready);
        copies[ready++] = copy;
      }
    }
    return ready;
  }

  private static void reverse(ShardCopy[] copies, int from, int to) {
    for (int i = from, j = to - 1; i < j; i++, j--) {
      ShardCopy copy = copies[i];
      copies[i] = copies[j];
      copies[j] = copy;
    }
  }
}
