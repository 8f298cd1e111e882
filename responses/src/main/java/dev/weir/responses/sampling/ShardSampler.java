package dev.weir.responses.sampling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Which shards of a search are asked: of each index as large a part as of the others, but a few at
 * least, or all where it has fewer. The same seed draws the same shards of an index, whatever other
 * indices there are, while as many of it are drawn.
 */
final class ShardSampler {
  private ShardSampler() {}

  /**
   * Draws.
   *
   * @param indices the index of each shard
   * @param wanted how many shards to draw; they are more where indices need them
   * @param least so many of each index
   * @return the places of those that were drawn, in order
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

  /** How many are drawn of each: by size, and what is left to those that are most short of it. */
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

  /** A name's hash over 64 bits. */
  private static long hash(String name) {
    long hash = 0;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash + name.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
