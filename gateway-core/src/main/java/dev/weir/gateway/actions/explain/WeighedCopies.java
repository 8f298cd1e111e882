package dev.weir.gateway.actions.explain;

import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.Scale;
import dev.weir.routing.Standing;
import java.util.Arrays;
import java.util.List;

/** Copies with the numbers that they were ordered by, in columns. Not safe on several threads. */
final class WeighedCopies {
  /** What is kept; more is only counted. */
  static final int MOST = 128;

  /** The widest scale, with room to spare for a policy that changes at this moment. */
  private static final int WIDEST = 32;

  private static final int USUAL = 8;
  private static final int USUAL_NUMBERS = 4 * WIDEST;

  private int count;
  private String[] nodes = new String[0];
  private boolean[] primaries = new boolean[0];
  private Standing[] standings = new Standing[0];
  private int[] numbersAt = new int[0];
  private double[] numbers = new double[USUAL_NUMBERS];
  private int used;

  WeighedCopies() {}

  /** A copy. */
  WeighedCopies(WeighedCopies other) {
    count = other.count;
    nodes = Arrays.copyOf(other.nodes, count);
    primaries = Arrays.copyOf(other.primaries, count);
    standings = Arrays.copyOf(other.standings, count);
    numbersAt = Arrays.copyOf(other.numbersAt, count);
    numbers = Arrays.copyOf(other.numbers, other.used);
    used = other.used;
  }

  /** Forgets them, and gives room back that had to grow for others before them. */
  void clear() {
    if (nodes.length > USUAL && count <= USUAL) {
      resize(USUAL);
    }
    if (numbers.length > USUAL_NUMBERS && used + WIDEST <= USUAL_NUMBERS) {
      numbers = new double[USUAL_NUMBERS];
    }
    count = 0;
    used = 0;
  }

  int count() {
    return count;
  }

  boolean hasRoom(int copies) {
    return count + copies <= MOST;
  }

  void add(List<ShardCopy> ordered, Work work, ReplicaSelector selector, Scale scale) {
    for (int i = 0; i < ordered.size(); i++) {
      ShardCopy copy = ordered.get(i);
      grow();
      nodes[count] = copy.nodeId();
      primaries[count] = copy.primary();
      numbersAt[count] = used;
      standings[count] = selector.weigh(copy, work, numbers, used);
      used += scale.width();
      count++;
    }
  }

  private void grow() {
    if (count == nodes.length) {
      resize(Math.clamp(4L * count, USUAL, MOST));
    }
    if (used + WIDEST > numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbers.length);
    }
  }

  private void resize(int size) {
    nodes = Arrays.copyOf(nodes, size);
    primaries = Arrays.copyOf(primaries, size);
    standings = Arrays.copyOf(standings, size);
    numbersAt = Arrays.copyOf(numbersAt, size);
  }

  String node(int copy) {
    return nodes[copy];
  }

  boolean primary(int copy) {
    return primaries[copy];
  }

  Standing standing(int copy) {
    return standings[copy];
  }

  double score(int copy) {
    return numbers[numbersAt[copy]];
  }

  /** The n-th number behind the score. */
  double number(int copy, int n) {
    return numbers[numbersAt[copy] + 1 + n];
  }
}
