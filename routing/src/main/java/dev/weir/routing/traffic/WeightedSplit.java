package dev.weir.routing.traffic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a cluster for a key by weights: every gateway chooses the same one for the same key. A
 * change of weights moves keys only to clusters with a higher relative weight; without a cluster,
 * only its own keys move. Immutable.
 *
 * <p>This is rendezvous hashing: the cluster with the largest weight / -ln(u) wins. The value u in
 * (0, 1) comes from the hashes of the key and of the cluster's name (FNV-1a of UTF-8, 64 bits,
 * mixed by the finalizer of SplitMix64).
 */
public final class WeightedSplit {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final double TO_UNIT = 0x1p-53;

  private final List<Share> shares;
  private final List<String> clusters;

  /**
   * A cluster with its weight.
   *
   * @param salt a hash of its name
   */
  private record Share(String cluster, double weight, long salt) {}

  private WeightedSplit(List<Share> shares) {
    this.shares = List.copyOf(shares);
    this.clusters = shares.stream().map(Share::cluster).toList();
  }

  /**
   * Creates a split.
   *
   * @param weights clusters with a weight of 0 are never chosen
   * @param otherwise the cluster if no weight is above 0
   */
  public static WeightedSplit of(Map<String, Double> weights, String otherwise) {
    List<Share> shares = new ArrayList<>();
    weights.forEach((cluster, weight) -> {
      if (weight > 0) {
        shares.add(new Share(cluster, weight, mix(hash(cluster))));
      }
    });
    if (shares.isEmpty()) {
      shares.add(new Share(otherwise, 1, mix(hash(otherwise))));
    }
    return new WeightedSplit(shares);
  }

  /** Returns the key of a text. */
  public static long hash(String key) {
    long hash = FNV_OFFSET;
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }

  /** Returns the clusters that can be chosen. */
  public List<String> clusters() {
    return clusters;
  }

  /**
   * Chooses the cluster of a key.
   *
   * @param key for example the {@link #hash} of a text, or a random number
   */
  public String draw(long key) {
    Share drawn = best(key, cluster -> true);
    return drawn == null ? shares.getFirst().cluster() : drawn.cluster();
  }

  /**
   * Chooses the cluster of a key among some clusters.
   *
   * @return null if none of them has a weight
   */
  public @Nullable String draw(long key, Predicate<String> among) {
    Share drawn = best(key, among);
    return drawn == null ? null : drawn.cluster();
  }

  private @Nullable Share best(long key, Predicate<String> among) {
    if (shares.size() == 1) {
      Share only = shares.getFirst();
      return among.test(only.cluster()) ? only : null;
    }
    Share best = null;
    double bestScore = -1;
    for (Share share : shares) {
      if (among.test(share.cluster())) {
        double u = ((mix(key ^ share.salt()) >>> 11) + 0.5) * TO_UNIT;
        double score = share.weight() / -StrictMath.log(u); // equal on every machine
        if (score > bestScore) {
          bestScore = score;
          best = share;
        }
      }
    }
    return best;
  }

  private static long mix(long z) {
    long once = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long twice = (once ^ (once >>> 27)) * 0x94d049bb133111ebL;
    return twice ^ (twice >>> 31);
  }
}
