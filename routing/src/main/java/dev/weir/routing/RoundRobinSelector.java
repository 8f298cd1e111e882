package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.random.RandomGenerator;

/**
 * Takes a shard's copies in turns, blind to load; initializing copies last. Every shard has its own
 * turn (by a hash of its copies), so that searches over several shards do not beat with it.
 */
public final class RoundRobinSelector implements ReplicaSelector {
  private static final int TURNS = 1024;

  private final AtomicIntegerArray turns = new AtomicIntegerArray(TURNS);

  /**
   * Makes a selector.
   *
   * @param random where turns start
   */
  public RoundRobinSelector(RandomGenerator random) {
    for (int i = 0; i < TURNS; i++) {
      turns.set(i, random.nextInt());
    }
  }

  @Override
  public List<ShardCopy> order(List<ShardCopy> copies, Phase phase) {
    List<ShardCopy> ready = new ArrayList<>(copies.size());
    List<ShardCopy> initializing = new ArrayList<>();
    int shard = phase.name().hashCode();
    for (ShardCopy copy : copies) {
      (copy.initializing() ? initializing : ready).add(copy);
      shard = 31 * shard + copy.allocationId().hashCode();
    }
    if (ready.size() > 1) {
      int turn = turns.getAndIncrement(Math.floorMod(shard * 0x9E3779B9, TURNS));
      Collections.rotate(ready, -Math.floorMod(turn, ready.size()));
    }
    ready.addAll(initializing);
    return ready;
  }
}
