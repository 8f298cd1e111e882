package dev.weir.node.reduction;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;

/**
 * Selects the best hits of several shards, in the order in which a coordinating node merges them
 * with Lucene's {@code TopDocs.merge}: by score, the highest first, or {@linkplain FieldOrder by
 * fields}; then by shard, the lowest index first; then by their place in the shard's result.
 */
public final class BestHits {
  /** The highest score first; scores are numbers, +0 and -0 equal. */
  public static final Comparator<ScoreDoc> BY_SCORE =
      (one, other) -> one.score > other.score ? -1 : one.score < other.score ? 1 : 0;

  private BestHits() {}

  /**
   * The hits of one shard.
   *
   * @param shardIndex by which the search orders equal hits of different shards
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record ShardHits(int shardIndex, ScoreDoc[] hits) {}

  /** The next hit of a shard. */
  private record Next(int list, int shardIndex, int place, ScoreDoc hit) {}

  /**
   * Returns whether hits are in the order of scores by which this class selects: plain hits with
   * scores that don't rise. Those of a hybrid query, which have marks with negative scores among
   * them, are not.
   */
  public static boolean isOrdered(TopDocs found) {
    if (!found.getClass().equals(TopDocs.class)) {
      return false;
    }
    float before = Float.POSITIVE_INFINITY;
    for (ScoreDoc hit : found.scoreDocs) {
      if (!(hit.score >= 0 && hit.score <= before)) { // NaN included
        return false;
      }
      before = hit.score;
    }
    return true;
  }

  /**
   * Returns how many of each shard's first hits are among the best of all.
   *
   * @param shards hits of shards with different indices, each in this order
   * @param maxHits how many hits to select, at most
   */
  public static int[] select(List<ShardHits> shards, int maxHits, Comparator<ScoreDoc> order) {
    int[] selected = new int[shards.size()];
    PriorityQueue<Next> heads =
        new PriorityQueue<>(
            Math.max(1, shards.size()),
            Comparator.comparing(Next::hit, order).thenComparingInt(Next::shardIndex));
    for (int list = 0; list < selected.length; list++) {
      offer(heads, shards, list, 0);
    }
    for (int left = maxHits; left > 0 && !heads.isEmpty(); left--) {
      Next best = heads.remove();
      selected[best.list]++;
      offer(heads, shards, best.list, best.place + 1);
    }
    return selected;
  }

  private static void offer(
      PriorityQueue<Next> heads, List<ShardHits> shards, int list, int place) {
    ShardHits of = shards.get(list);
    if (place < of.hits.length) {
      heads.add(new Next(list, of.shardIndex, place, of.hits[place]));
    }
  }
}
