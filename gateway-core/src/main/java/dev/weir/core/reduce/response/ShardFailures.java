package dev.weir.core.reduce.response;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.action.support.TransportActions;
import org.opensearch.search.SearchShardTarget;

/**
 * The failures of a search's shards that go into its answer: one a shard, none of shards that are
 * only not there at the moment, and none of shards that answered on another copy.
 */
public final class ShardFailures {
  private final @Nullable ShardSearchFailure[] byShard;
  private int count;

  public ShardFailures(int shards) {
    this.byShard = new ShardSearchFailure[shards];
  }

  /**
   * Notes the failure of a copy.
   *
   * @return whether it is one that goes into the answer
   */
  public boolean add(int shard, SearchShardTarget target, Exception failure) {
    if (TransportActions.isShardNotAvailableException(failure)) {
      return false;
    }
    // a later failure that says more replaces an earlier one, as on a node: and all here do
    if (byShard[shard] == null) {
      count++;
    }
    byShard[shard] = new ShardSearchFailure(failure, target);
    return true;
  }

  /** The shard has answered after all. */
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
