package dev.weir.responses.sampling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws the shards of a sample. Each index contributes the same fraction of its shards, but at
 * least a minimum, or all if it has fewer. With the same seed and the same number of shards to
 * draw, an index contributes the same shards, regardless of the other indices.
 */
final class ShardSampler {
  private ShardSampler() {}

  /**
   * Draws a sample.
   *
   * @param indices the index of each shard
   * @param wanted the number of shards to draw; the minimum per index may raise it
   * @param least the minimum number of shards of each index
   * @return the positions of the drawn shards, in ascending order
   */
  static List<Integer> sample(List<String> indices, int wanted, int least, long seed) {
    Map<String, List<Integer>> strata = new LinkedHashMap<>();
    for (int place = 0; place < indices.size(); place++) {
      strata.computeIfAbsent(indices.get(place), name -> new ArrayList<>()).add(place);
    }
    int[] sizes = strata.values().stream().mapToInt(List::size).toArray();
    int[] counts = allocate(sizes, wanted, least);
    List<Integer> drawn = new ArrayList<>();
    int h = 0;
    for (Map.Entry<String, List<Integer>> stratum : strata.entrySet()) {
      List<Integer> places = stratum.getValue();
      SplittableRandom random = new SplittableRandom(seed + hash(stratum.getKey()));
      for (int i = 0; i < counts[h]; i++) {
        int other = i + random.nextInt(places.size() - i);
        Integer place = places.get(other);
        places.set(other, places.get(i));
        places.set(i, place);
        drawn.add(place);
      }
      h++;
    }
    drawn.sort(Comparator.naturalOrder());
    return drawn;
  }

  /**
   * Returns the number of shards to draw from each index, in proportion to its size; the largest
   * remainders round up.
   */
  static int[] allocate(int[] sizes, int wanted, int least) {
    int all = 0;
    for (int size : sizes) {
      all += size;
    }
    int[] counts = new int[sizes.length];
    double[] due = new double[sizes.length];
    List<Integer> places = new ArrayList<>();
    int left = wanted;
    for (int h = 0; h < sizes.length; h++) {
      due[h] = (double) wanted * sizes[h] / all;
      counts[h] = Math.min(sizes[h], Math.max(least, (int) due[h]));
      left -= counts[h];
      places.add(h);
    }
    places.sort(Comparator.comparingDouble((Integer h) -> counts[h] - due[h]));
    for (int h : places) {
      if (left > 0 && counts[h] < sizes[h]) {
        counts[h]++;
        left--;
      }
    }
    return counts;
  }

  /** Returns a 64-bit hash of a name. */
  private static long hash(String name) {
    long hash = 0;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash + name.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
