package dev.weir.core.reduce.round;

import dev.weir.core.reduce.memory.MemoryRejectionTracker;
import dev.weir.core.reduce.memory.RetainedSearchFrames;

/**
 * What the rounds of one search share.
 *
 * @param scope what is searched
 * @param caller on whose behalf
 * @param shardRequests makes requests to shards
 * @param contexts what shards hold open for the search
 * @param frames what its results lie in
 * @param echoes what shards echoed of their requests
 * @param memoryRejections whether it was refused memory
 */
public record SearchRoundContext(
    SearchScope scope,
    SearchCaller caller,
    ShardRequestFactory shardRequests,
    SearchContextTracker contexts,
    RetainedSearchFrames frames,
    EchoedShardRequests echoes,
    MemoryRejectionTracker memoryRejections) {
  public static SearchRoundContext create(
      SearchScope scope, SearchCaller caller, MemoryRejectionTracker broken) {
    return new SearchRoundContext(
        scope,
        caller,
        new ShardRequestFactory(scope),
        new SearchContextTracker(
            caller, scope.shards().size(), scope.request().pointInTimeBuilder() != null),
        new RetainedSearchFrames(),
        new EchoedShardRequests(scope.request(), scope.shards().size()),
        broken);
  }

  /** Not for scrolls and points in time: they keep their contexts on the copies they began on. */
  boolean canUseAnyCopy() {
    return scope.request().scroll() == null && scope.request().pointInTimeBuilder() == null;
  }
}
