package dev.weir.routing.write;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * Balances documents without ids over the shards of one index. Guarded by itself.
 *
 * <p>A shard's price has two parts. The first is the expected time of the slowest node among its
 * copies (a write waits for all copies), relative to the fastest shard. The second is its lead over
 * the shard that received least, in units of the slack, by documents or by bytes, whichever is
 * more. The cheapest shard is chosen. Among equal nodes, shards therefore receive equal volumes
 * within the slack, and load decides within it. A shard more than twice as slow as the fastest is
 * slow: it does not hold the others back, and its arrears count for at most one slack. A slow node
 * therefore gets only as much work as it can handle, and its shards later catch up at a rate that
 * leaves them at most twice as slow as the fastest. Volumes count half after an hour.
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

  /** The volume of each shard, by one measure. */
  private static final class PlacedVolume {
    /** The permitted lead, as a fraction of a shard's hourly volume. */
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

    void decay(double factor) {
      total *= factor;
      for (int shard = 0; shard < shards.length; shard++) {
        shards[shard] *= factor;
      }
    }

    /** Computes the volume that leads are relative to. */
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
   * Returns the shard for the next documents.
   *
   * @param copies the nodes of each shard's copies, the primary's first; empty without an active
   *     primary
   * @param cost the expected time of a node in nanoseconds; infinite for an unusable node
   * @return -1 if no shard has an active primary
   */
  synchronized int chooseShard(
      String[][] copies,
      ToDoubleFunction<String> cost,
      WriteVolume amount,
      long now,
      RandomGenerator random) {
    decay(now);
    double[] costs = new double[copies.length];
    double fastest = costs(copies, cost, costs);
    if (fastest == Double.POSITIVE_INFINITY) {
      return chooseAny(copies, random);
    }
    documents.compare(costs, SLOW * fastest);
    bytes.compare(costs, SLOW * fastest);
    int best = -1;
    double cheapest = Double.POSITIVE_INFINITY;
    for (int shard = 0; shard < costs.length; shard++) {
      if (costs[shard] < Double.POSITIVE_INFINITY) {
        double lead =
            Math.max(documents.lead(shard, amount.documents()), bytes.lead(shard, amount.bytes()));
        double price = costs[shard] / fastest + lead + CHANCE * random.nextDouble();
        if (price < cheapest) {
          cheapest = price;
          best = shard;
        }
      }
    }
    return best;
  }

  /** Returns the shard with the least volume among those with their primary on a node. */
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

  /** Records documents that a shard received. */
  synchronized void recordPlacement(int shard, WriteVolume amount) {
    documents.add(shard, amount.documents());
    bytes.add(shard, amount.bytes());
  }

  private static double costs(String[][] copies, ToDoubleFunction<String> cost, double[] costs) {
    Map<String, Double> known = new HashMap<>();
    double fastest = Double.POSITIVE_INFINITY;
    for (int shard = 0; shard < costs.length; shard++) {
      double slowest = copies[shard].length == 0 ? Double.POSITIVE_INFINITY : 0;
      for (String node : copies[shard]) {
        slowest = Math.max(slowest, known.computeIfAbsent(node, cost::applyAsDouble));
      }
      costs[shard] = slowest;
      fastest = Math.min(fastest, costs[shard]);
    }
    return fastest;
  }

  private void decay(long now) {
    if (!hasStarted) {
      hasStarted = true;
      decayedAtNanos = now;
      return;
    }
    double passed = Math.max(0L, now - decayedAtNanos);
    if (passed >= DECAY_INTERVAL_NANOS) {
      double factor = Math.pow(0.5, passed / HALF_LIFE_NANOS);
      documents.decay(factor);
      bytes.decay(factor);
      decayedAtNanos = now;
    }
  }

  /** Returns any shard with an active primary. */
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
