package dev.weir.core.coordinate;

import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.plan.SearchPlan;
import org.jspecify.annotations.Nullable;

/**
 * Counts the shards of one search that succeeded, and decides whether they are enough to go on.
 * Confined to the request's event loop.
 */
final class ShardOutcomes {
  private int successful;
  private int skipped;

  /**
   * Why a search fails.
   *
   * @param message as OpenSearch words it
   * @param isTotal whether no shard succeeded
   */
  record Shortfall(String message, boolean isTotal) {}

  /** Sets how many shards the next round leaves out; they count as successful. */
  void setSkipped(int shards) {
    skipped = shards;
  }

  /** Ends a round of all shards that were not skipped. */
  void recordRound(int successfulShards) {
    successful = skipped + successfulShards;
  }

  /** Counts shards as failed that had succeeded in a round before. */
  void subtractFailed(int shards) {
    successful -= shards;
  }

  ShardCounts counts(int total) {
    return new ShardCounts(total, successful, skipped);
  }

  /**
   * What the search lacks to go on; null when it can go on.
   *
   * @param failures shards with a failure that goes into the response
   */
  @Nullable Shortfall shortfall(SearchPlan plan, int failures) {
    int total = plan.shards().size();
    if (successful == 0) {
      return new Shortfall("all shards failed", true);
    }
    if (plan.rules().allowPartial() || successful == total) {
      return null;
    }
    if (failures > 0) {
      return new Shortfall("Partial shards failure", false);
    }
    if (!plan.rules().ignoreUnavailable()) {
      int missing = total - successful;
      return new Shortfall("Partial shards failure (" + missing + " shards unavailable)", false);
    }
    return null;
  }
}
