package dev.weir.gateway.actions.explain;

import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.model.Work;
import dev.weir.routing.Scale;
import java.util.Arrays;

/** Shards whose copies were put in order, in columns. Not safe on several threads. */
final class ChosenShards {
  private static final int MOST = 128;
  private static final int USUAL = 4;

  private int count;
  private int leftOut;
  private String[] indices = new String[USUAL];
  private int[] numbers = new int[USUAL];
  private Work[] works = new Work[USUAL];
  private Scale[] scales = new Scale[USUAL];
  private boolean[] byScore = new boolean[USUAL];
  private int[] firstCopy = new int[USUAL + 1];

  ChosenShards() {}

  /** A copy. */
  ChosenShards(ChosenShards other) {
    count = other.count;
    leftOut = other.leftOut;
    indices = Arrays.copyOf(other.indices, count);
    numbers = Arrays.copyOf(other.numbers, count);
    works = Arrays.copyOf(other.works, count);
    scales = Arrays.copyOf(other.scales, count);
    byScore = Arrays.copyOf(other.byScore, count);
    firstCopy = Arrays.copyOf(other.firstCopy, count + 1);
  }

  /** Forgets them, and gives room back that had to grow for others before them. */
  void clear() {
    if (indices.length > USUAL && count <= USUAL) {
      resize(USUAL);
    }
    count = 0;
    leftOut = 0;
  }

  int count() {
    return count;
  }

  /** How many more there were. */
  int leftOut() {
    return leftOut;
  }

  boolean hasRoom() {
    return count < MOST;
  }

  void leaveOut() {
    leftOut++;
  }

  /**
   * Adds one, where there is room.
   *
   * @param scored whether scores decided, where there was something to choose
   * @param from its first copy
   * @param to the first copy of the next
   * @return its place
   */
  int add(ShardTarget target, Work work, Scale scale, boolean scored, int from, int to) {
    if (count == indices.length) {
      resize(Math.min(MOST, 4 * count));
    }
    indices[count] = target.shardId().getIndexName();
    numbers[count] = target.shardId().id();
    works[count] = work;
    scales[count] = scale;
    byScore[count] = scored;
    firstCopy[count] = from;
    firstCopy[count + 1] = to;
    return count++;
  }

  private void resize(int size) {
    indices = Arrays.copyOf(indices, size);
    numbers = Arrays.copyOf(numbers, size);
    works = Arrays.copyOf(works, size);
    scales = Arrays.copyOf(scales, size);
    byScore = Arrays.copyOf(byScore, size);
    firstCopy = Arrays.copyOf(firstCopy, size + 1);
  }

  String index(int shard) {
    return indices[shard];
  }

  int number(int shard) {
    return numbers[shard];
  }

  Work work(int shard) {
    return works[shard];
  }

  Scale scale(int shard) {
    return scales[shard];
  }

  boolean byScore(int shard) {
    return byScore[shard];
  }

  /** Where its copies begin; those of the next shard where they end. */
  int firstCopy(int shard) {
    return firstCopy[shard];
  }
}
