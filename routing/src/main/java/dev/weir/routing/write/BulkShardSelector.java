package dev.weir.routing.write;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a shard for documents without ids, by the load of nodes and by what each shard already
 * received. Remembers the most recently written indices. Safe on any thread.
 */
public final class BulkShardSelector {
  private static final int MAX_INDICES = 4096;

  /** The maximum fraction of choices that test a node. */
  private static final double TRIAL_RATIO = 0.02;

  private static final double MAX_CREDIT = 4;

  private final WriteCostEstimator costs;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Map<String, ShardWriteBalancer> balancers =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ShardWriteBalancer> eldest) {
          return size() > MAX_INDICES;
        }
      };
  private final LongAdder bulks = new LongAdder();
  private final LongAdder recordPlacement = new LongAdder();
  private double credit = 1;

  /**
   * Starts without any history.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   * @param random safe on any thread
   */
  public BulkShardSelector(
      WriteCostEstimator costs, LongSupplier nanoTime, RandomGenerator random) {
    this.costs = costs;
    this.nanoTime = nanoTime;
    this.random = random;
  }

  /**
   * Chooses the shard for some documents of an index.
   *
   * @param index identifies the index, also among earlier indices of the same name
   * @param copies the nodes of each shard's copies, the primary's first; empty without an active
   *     primary
   * @param amount the approximate volume
   * @param choice the method
   * @return -1 if no shard has an active primary
   */
  public int choose(
      String index, String[][] copies, WriteVolume amount, BulkPolicy.ShardSelection choice) {
    if (choice == BulkPolicy.ShardSelection.RANDOM) {
      return ShardWriteBalancer.chooseAny(copies, random);
    }
    long now = nanoTime.getAsLong();
    ShardWriteBalancer own = balancers(index, copies.length);
    String tried = takeTrialNode(copies);
    if (tried != null) {
      return own.findLeastLoaded(tried, copies);
    }
    NodeCallType work = NodeCallType.forWrite(amount.documents());
    return own.chooseShard(copies, node -> costs.expectedNanos(node, work), amount, now, random);
  }

  /** Records documents that a shard receives. */
  public void recordPlacement(String index, int shards, int shard, WriteVolume amount) {
    bulks.increment();
    recordPlacement.add(amount.documents());
    balancers(index, shards).recordPlacement(shard, amount);
  }

  /** Returns how often documents of a bulk were placed on a shard. */
  public long bulks() {
    return bulks.sum();
  }

  /** Returns how many documents were placed. */
  public long documents() {
    return recordPlacement.sum();
  }

  private ShardWriteBalancer balancers(String index, int shards) {
    synchronized (balancers) {
      ShardWriteBalancer own = balancers.get(index);
      if (own == null || own.shards() != shards) {
        own = new ShardWriteBalancer(shards);
        balancers.put(index, own);
      }
      return own;
    }
  }

  /** Returns a node that should get these documents as a test; rarely. */
  private @Nullable String takeTrialNode(String[][] copies) {
    synchronized (balancers) {
      credit = Math.min(MAX_CREDIT, credit + TRIAL_RATIO);
      if (credit < 1) {
        return null;
      }
    }
    Set<String> nodes = new LinkedHashSet<>();
    for (String[] shard : copies) {
      if (shard.length > 0 && nodes.add(shard[0]) && costs.takeTrial(shard[0], Phase.WRITE)) {
        synchronized (balancers) {
          credit -= 1;
        }
        return shard[0];
      }
    }
    return null;
  }
}
