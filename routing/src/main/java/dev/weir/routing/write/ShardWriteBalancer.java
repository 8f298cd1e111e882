package dev.weir.routing.write;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * What each shard of one index got of the documents that could go anywhere, and which shard gets
 * the next ones. Guarded by itself.
 *
 * <p>A shard costs c, what the slowest of its copies' nodes is expected to take (a write waits for
 * all copies), over the quickest shard's; and its lead, what it would have beyond the shard that
 * got least, in slacks: in documents or in bytes, whichever is more. The cheapest is taken. So
 * among nodes alike shards get the same of both, to within the slack, and load decides within it. A
 * shard over twice as slow as the quickest is slow: it does not hold the others back, and however
 * much it lags behind that counts for one slack; so a slow node gets work only as far as it keeps
 * up, and what its shards missed is made up for later at a rate that leaves them no slower than
 * twice the quickest. What was given counts for half after an hour.
 */
final class ShardWriteBalancer {
  private static final double SLOW = 2;
  private static final double HALF_LIFE_NANOS = 3600e9;
  private static final double DECAY_INTERVAL_NANOS = 10e9;
  private static final double CHANCE = 0.05;

  private final PlacedVolume documents;
  private final PlacedVolume bytes;
  private long decayedAtNanos;
  private boolean hasStarted;

  /** What shards got, by one measure. */
  private static final class PlacedVolume {
    /** Of what a shard gets in an hour, by which it may lead. */
    private static final double SLACK = 0.01;

    private static final double SLACK_BULKS = 2;
    private static final double GAIN = 0.05;

    private final double[] shards;
    private double total;
    private double usual;
    private double least;
    private double slack;

    PlacedVolume(int shards) {
      this.shards = new double[shards];
    }

    void add(int shard, long amount) {
      shards[shard] += amount;
      total += amount;
      usual = usual == 0 ? amount : usual + GAIN * (amount - usual);
    }

    void decay(double kept) {
      total *= kept;
      for (int shard = 0; shard < shards.length; shard++) {
        shards[shard] *= kept;
      }
    }

    /** Looks up what leads are over. */
    void compare(double[] costs, double slowest) {
      least = Double.POSITIVE_INFINITY;
      for (int shard = 0; shard < costs.length; shard++) {
        if (costs[shard] <= slowest) {
          least = Math.min(least, shards[shard]);
        }
      }
      slack = Math.max(1, Math.max(SLACK_BULKS * usual, SLACK * total / shards.length));
    }

    double lead(int shard, long more) {
      return Math.max(-1, (shards[shard] + more - least) / slack);
    }
  }

  ShardWriteBalancer(int shards) {
    this.documents = new PlacedVolume(shards);
    this.bytes = new PlacedVolume(shards);
  }

  int shards() {
    return bytes.shards.length;
  }

  /**
   * The shard that the next documents should go to.
   *
   * @param copies the nodes of each shard's copies, its primary's first; none where no primary is
   *     active
   * @param cost what a node is expected to take, in nanoseconds; infinite where it is not to be
   *     used
   * @return -1 when no shard has an active primary
   */
  synchronized int chooseShard(
      String[][] copies,
      ToDoubleFunction<String> cost,
      WriteVolume amount,
      long now,
      RandomGenerator random) {
    decay(now);
    double[] costs = new double[copies.length];
    double quickest = costs(copies, cost, costs);
    if (quickest == Double.POSITIVE_INFINITY) {
      return chooseAny(copies, random);
    }
    documents.compare(costs, SLOW * quickest);
    bytes.compare(costs, SLOW * quickest);
    int best = -1;
    double cheapest = Double.POSITIVE_INFINITY;
    for (int shard = 0; shard < costs.length; shard++) {
      if (costs[shard] < Double.POSITIVE_INFINITY) {
        double lead =
            Math.max(documents.lead(shard, amount.documents()), bytes.lead(shard, amount.bytes()));
        double price = costs[shard] / quickest + lead + CHANCE * random.nextDouble();
        if (price < cheapest) {
          cheapest = price;
          best = shard;
        }
      }
    }
    return best;
  }

  /** The shard that got least of those whose primary a node has. */
  synchronized int findLeastLoaded(String node, String[][] copies) {
    int best = -1;
    for (int shard = 0; shard < copies.length; shard++) {
      if (isPrimary(node, copies[shard])
          && (best < 0 || bytes.shards[shard] < bytes.shards[best])) {
        best = shard;
      }
    }
    return best;
  }

  private static boolean isPrimary(String node, String[] copies) {
    return copies.length > 0 && copies[0].equals(node);
  }

  /** A shard got documents. */
  synchronized void recordPlacement(int shard, WriteVolume amount) {
    documents.add(shard, amount.documents());
    bytes.add(shard, amount.bytes());
  }

  private static double costs(String[][] copies, ToDoubleFunction<String> cost, double[] costs) {
    Map<String, Double> known = new HashMap<>();
    double quickest = Double.POSITIVE_INFINITY;
    for (int shard = 0; shard < costs.length; shard++) {
      double slowest = copies[shard].length == 0 ? Double.POSITIVE_INFINITY : 0;
      for (String node : copies[shard]) {
        slowest = Math.max(slowest, known.computeIfAbsent(node, cost::applyAsDouble));
      }
      costs[shard] = slowest;
      quickest = Math.min(quickest, costs[shard]);
    }
    return quickest;
  }

  private void decay(long now) {
    if (!hasStarted) {
      hasStarted = true;
      decayedAtNanos = now;
      return;
    }
    double passed = Math.max(0L, now - decayedAtNanos);
    if (passed >= DECAY_INTERVAL_NANOS) {
      double kept = Math.pow(0.5, passed / HALF_LIFE_NANOS);
      documents.decay(kept);
      bytes.decay(kept);
      decayedAtNanos = now;
    }
  }

  /** Any shard that has an active primary. */
  static int chooseAny(String[][] copies, RandomGenerator random) {
    int from = random.nextInt(copies.length);
    for (int i = 0; i < copies.length; i++) {
      int shard = (from + i) % copies.length;
      if (copies[shard].length > 0) {
        return shard;
      }
    }
    return -1;
  }
}
