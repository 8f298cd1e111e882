package dev.weir.routing.write;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.Phase;
import dev.weir.model.Work;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which shard the documents of a bulk go to that may go anywhere, by what nodes have to do and what
 * each shard got. Remembers the indices that were written to last. Safe on any thread.
 */
public final class DirectedShards {
  private static final int MOST_INDICES = 4096;

  /** The share of choices that may try a node. */
  private static final double TRIALS = 0.02;

  private static final double MOST_CREDIT = 4;

  private final WriteCosts costs;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Map<String, ShardShares> shares =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ShardShares> eldest) {
          return size() > MOST_INDICES;
        }
      };
  private final LongAdder bulks = new LongAdder();
  private final LongAdder directed = new LongAdder();
  private double credit = 1;

  /**
   * Makes one that remembers nothing.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   * @param random safe on any thread
   */
  public DirectedShards(WriteCosts costs, LongSupplier nanoTime, RandomGenerator random) {
    this.costs = costs;
    this.nanoTime = nanoTime;
    this.random = random;
  }

  /**
   * The shard for some documents of an index.
   *
   * @param index tells it apart from all others, also from one of the same name before
   * @param copies the nodes of each shard's copies, its primary's first; none where no primary is
   *     active
   * @param amount how much there is, about
   * @param choice how to choose
   * @return -1 when no shard has an active primary
   */
  public int choose(String index, String[][] copies, Amount amount, BulkPolicy.Choice choice) {
    if (choice == BulkPolicy.Choice.RANDOM) {
      return ShardShares.any(copies, random);
    }
    long now = nanoTime.getAsLong();
    ShardShares own = shares(index, copies.length);
    String tried = tried(copies);
    if (tried != null) {
      return own.least(tried, copies);
    }
    Work work = Work.writing(amount.documents());
    return own.next(copies, node -> costs.expectedNanos(node, work), amount, now, random);
  }

  /** Documents were directed to a shard. */
  public void directed(String index, int shards, int shard, Amount amount) {
    bulks.increment();
    directed.add(amount.documents());
    shares(index, shards).give(shard, amount);
  }

  /** How often documents of a bulk were directed to a shard of an index. */
  public long bulks() {
    return bulks.sum();
  }

  /** How many documents were directed. */
  public long documents() {
    return directed.sum();
  }

  private ShardShares shares(String index, int shards) {
    synchronized (shares) {
      ShardShares own = shares.get(index);
      if (own == null || own.shards() != shards) {
        own = new ShardShares(shards);
        shares.put(index, own);
      }
      return own;
    }
  }

  /** A node that gets these documents to see how it does; seldom. */
  private @Nullable String tried(String[][] copies) {
    synchronized (shares) {
      credit = Math.min(MOST_CREDIT, credit + TRIALS);
      if (credit < 1) {
        return null;
      }
    }
    Set<String> nodes = new LinkedHashSet<>();
    for (String[] shard : copies) {
      if (shard.length > 0 && nodes.add(shard[0]) && costs.wantsTrial(shard[0], Phase.WRITE)) {
        synchronized (shares) {
          credit -= 1;
        }
        return shard[0];
      }
    }
    return null;
  }
}
