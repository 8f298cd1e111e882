package dev.weir.node.reduction;

import java.util.List;
import java.util.PriorityQueue;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;

/**
 * Selects the best hits of several shards by score, in the order in which a coordinating node
 * merges them with Lucene's {@code TopDocs.merge}: by score, the highest first; then by shard, the
 * lowest index first; then by their place in the shard's result.
 */
public final class BestHits {
  private BestHits() {}

  /**
   * The hits of one shard.
   *
   * @param shardIndex by which the search orders equal hits of different shards
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record ShardHits(int shardIndex, ScoreDoc[] hits) {}

  /** The next hit of a shard. */
  private record Next(int list, int shardIndex, int place, float score)
      implements Comparable<Next> {
    @Override
    public int compareTo(Next other) {
      if (score > other.score || score < other.score) {
        return score > other.score ? -1 : 1;
      }
      return Integer.compare(shardIndex, other.shardIndex); // equal scores, +0 and -0 included
    }
  }

  /**
   * Returns whether hits are in the order by which this class selects: plain hits with scores that
   * don't rise. Those of a hybrid query, which have marks with negative scores among them, are not.
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
   * @param shards ordered hits of shards with different indices
   * @param maxHits how many hits to select, at most
   */
  public static int[] select(List<ShardHits> shards, int maxHits) {
    int[] selected = new int[shards.size()];
    PriorityQueue<Next> heads = new PriorityQueue<>(Math.max(1, shards.size()));
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
      heads.add(new Next(list, of.shardIndex, place, of.hits[place].score));
    }
  }
}
