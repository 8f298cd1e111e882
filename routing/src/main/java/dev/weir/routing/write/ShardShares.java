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
final class ShardShares {
  private static final double SLOW = 2;
  private static final double HALF_LIFE_NANOS = 3600e9;
  private static final double FADES_EVERY_NANOS = 10e9;
  private static final double CHANCE = 0.05;

  private final Given documents;
  private final Given bytes;
  private long fadedNanos;
  private boolean begun;

  /** What shards got, by one measure. */
  private static final class Given {
    /** Of what a shard gets in an hour, by which it may lead. */
    private static final double SLACK = 0.01;

    private static final double SLACK_BULKS = 2;
    private static final double GAIN = 0.05;

    private final double[] shards;
    private double all;
    private double usual;
    private double least;
    private double slack;

    Given(int shards) {
      this.shards = new double[shards];
    }

    void add(int shard, long amount) {
      shards[shard] += amount;
      all += amount;
      usual = usual == 0 ? amount : usual + GAIN * (amount - usual);
    }

    void fade(double kept) {
      all *= kept;
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
      slack = Math.max(1, Math.max(SLACK_BULKS * usual, SLACK * all / shards.length));
    }

    double lead(int shard, long more) {
      return Math.max(-1, (shards[shard] + more - least) / slack);
    }
  }

  ShardShares(int shards) {
    this.documents = new Given(shards);
    this.bytes = new Given(shards);
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
  synchronized int next(
      String[][] copies,
      ToDoubleFunction<String> cost,
      Amount amount,
      long now,
      RandomGenerator random) {
    fade(now);
    double[] costs = new double[copies.length];
    double quickest = costs(copies, cost, costs);
    if (quickest == Double.POSITIVE_INFINITY) {
      return any(copies, random);
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
  synchronized int least(String node, String[][] copies) {
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
  synchronized void give(int shard, Amount amount) {
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

  private void fade(long now) {
    if (!begun) {
      begun = true;
      fadedNanos = now;
      return;
    }
    double passed = Math.max(0L, now - fadedNanos);
    if (passed >= FADES_EVERY_NANOS) {
      double kept = Math.pow(0.5, passed / HALF_LIFE_NANOS);
      documents.fade(kept);
      bytes.fade(kept);
      fadedNanos = now;
    }
  }

  /** Any shard that has an active primary. */
  static int any(String[][] copies, RandomGenerator random) {
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
