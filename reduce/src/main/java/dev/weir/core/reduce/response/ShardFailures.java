package dev.weir.core.reduce.response;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.action.support.TransportActions;
import org.opensearch.search.SearchShardTarget;

/**
 * The shard failures that a search response lists: one per shard. Shards that are unavailable at
 * the moment, and shards that answered on another copy, are not listed.
 */
public final class ShardFailures {
  private final @Nullable ShardSearchFailure[] byShard;
  private int count;

  public ShardFailures(int shards) {
    this.byShard = new ShardSearchFailure[shards];
  }

  /**
   * Records the failure of a copy.
   *
   * @return whether the response lists it
   */
  public boolean add(int shard, SearchShardTarget target, Exception failure) {
    if (TransportActions.isShardNotAvailableException(failure)) {
      return false;
    }
    // a node replaces an earlier failure only by a more specific one; all failures here are
    // specific
    if (byShard[shard] == null) {
      count++;
    }
    byShard[shard] = new ShardSearchFailure(failure, target);
    return true;
  }

  /** Removes the failure of a shard that answered on another copy. */
  public void clear(int shard) {
    if (byShard[shard] != null) {
      byShard[shard] = null;
      count--;
    }
  }

  public int count() {
    return count;
  }

  public ShardSearchFailure[] toArray() {
    if (count == 0) {
      return ShardSearchFailure.EMPTY_ARRAY;
    }
    List<ShardSearchFailure> failures = new ArrayList<>(count);
    for (ShardSearchFailure failure : byShard) {
      if (failure != null) {
        failures.add(failure);
      }
    }
    return failures.toArray(ShardSearchFailure[]::new);
  }
}
