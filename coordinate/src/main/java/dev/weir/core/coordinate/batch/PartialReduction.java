package dev.weir.core.coordinate.batch;

/**
 * What a node may leave out of the results of one search's shards. All queries of a search share
 * one object; those of another search have another. Immutable.
 */
public final class PartialReduction {
  private final int maxHits;
  private final PartialReductionCounts counts;

  /**
   * Creates the reduction of a search.
   *
   * @param maxHits how many hits of all shards together can be in the response, or before its first
   *     one
   */
  public PartialReduction(int maxHits, PartialReductionCounts counts) {
    this.maxHits = maxHits;
    this.counts = counts;
  }

  /** Returns how many hits of all shards together the search can use. */
  public int maxHits() {
    return maxHits;
  }

  PartialReductionCounts counts() {
    return counts;
  }
}
