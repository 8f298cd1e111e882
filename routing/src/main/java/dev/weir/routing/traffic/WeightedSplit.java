package dev.weir.routing.traffic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Draws a cluster for a key by weights: every gateway draws the same one for the same key. Weights
 * that change move keys to clusters that gain on others, and never the other way; a cluster that is
 * left out gives its own keys away, and the others' stay. Immutable.
 *
 * <p>It is rendezvous hashing: the cluster with the largest weight / -ln(u) wins, where u in (0, 1)
 * is made of the hashes of the key and of the cluster's name (FNV-1a of UTF-8, 64 bits, mixed by
 * the finalizer of SplitMix64).
 */
public final class WeightedSplit {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final double TO_UNIT = 0x1p-53;

  private final List<Share> shares;
  private final List<String> clusters;

  /**
   * A cluster that is drawn.
   *
   * @param salt made of its name
   */
  private record Share(String cluster, double weight, long salt) {}

  private WeightedSplit(List<Share> shares) {
    this.shares = List.copyOf(shares);
    this.clusters = shares.stream().map(Share::cluster).toList();
  }

  /**
   * A split by weights.
   *
   * @param weights those of 0 are never drawn
   * @param otherwise the cluster that is drawn when there is no weight over 0
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

  /** A text as a key. */
  public static long hash(String key) {
    long hash = FNV_OFFSET;
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }

  /** The clusters that can be drawn. */
  public List<String> clusters() {
    return clusters;
  }

  /**
   * The cluster for a key.
   *
   * @param key such as {@link #hash} of a text, or any number for a draw that nothing hangs on
   */
  public String draw(long key) {
    Share drawn = best(key, cluster -> true);
    return drawn == null ? shares.getFirst().cluster() : drawn.cluster();
  }

  /**
   * The same among some clusters.
   *
   * @return null when none of them has a weight
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
    double most = -1;
    for (Share share : shares) {
      if (among.test(share.cluster())) {
        double u = ((mix(key ^ share.salt()) >>> 11) + 0.5) * TO_UNIT;
        double score = share.weight() / -StrictMath.log(u); // the same on every machine
        if (score > most) {
          most = score;
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
