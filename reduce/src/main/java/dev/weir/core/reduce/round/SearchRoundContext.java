package dev.weir.core.reduce.round;

import dev.weir.core.reduce.memory.MemoryRejectionTracker;
import dev.weir.core.reduce.memory.RetainedSearchFrames;
import java.util.concurrent.TimeoutException;

/**
 * What the rounds of one search share.
 *
 * @param caller the caller on whose behalf the calls are made
 * @param shardRequests creates the requests to the shards in scope
 * @param contexts the search contexts that shards keep open for the search
 * @param frames the reply frames that contain its results
 * @param echoes the shard requests that shards echoed
 * @param memoryRejections records whether memory was refused
 */
public record SearchRoundContext(
    SearchCaller caller,
    ShardRequestFactory shardRequests,
    SearchContextTracker contexts,
    RetainedSearchFrames frames,
    EchoedShardRequests echoes,
    MemoryRejectionTracker memoryRejections) {
  /** Stands for the failure that a late copy has not had yet. */
  private static final Exception LATE_COPY = new TimeoutException("late");

  public static SearchRoundContext create(
      SearchScope scope, SearchCaller caller, MemoryRejectionTracker broken) {
    return new SearchRoundContext(
        caller,
        new ShardRequestFactory(scope),
        new SearchContextTracker(
            caller, scope.shards().size(), scope.request().pointInTimeBuilder() != null),
        new RetainedSearchFrames(),
        new EchoedShardRequests(scope.request(), scope.shards().size()),
        broken);
  }

  /** Returns the shards to search. */
  public SearchScope scope() {
    return shardRequests.scope();
  }

  /**
   * Returns whether the search may start over on other copies. The first page of a scroll may,
   * since the client does not know its contexts yet; a point in time stays where it is.
   */
  boolean canStartOver() {
    return scope().request().pointInTimeBuilder() == null;
  }

  /**
   * Returns whether the search may start over on a copy because another one is late. It does not
   * use zones that are weighted away for that.
   *
   * @param ordinal the shard's number in the scope
   */
  boolean canStartOverOn(int ordinal, String nodeId) {
    return !WeightedAwayCopies.shouldSkip(
        scope().state(), shardRequests.scopeOf(ordinal).id(), nodeId, LATE_COPY);
  }

  /**
   * Returns whether any copy can be used. Scrolls and points in time stay on the copies that have
   * their contexts.
   */
  boolean canUseAnyCopy() {
    return scope().request().scroll() == null && scope().request().pointInTimeBuilder() == null;
  }
}
