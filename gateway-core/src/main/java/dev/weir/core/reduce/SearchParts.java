package dev.weir.core.reduce;

/**
 * What the rounds of one search share.
 *
 * @param scope what is searched
 * @param caller on whose behalf
 * @param requests makes requests to shards
 * @param contexts what shards hold open for the search
 * @param frames what its results lie in
 * @param echoes what shards echoed of their requests
 * @param broken whether it was refused memory
 */
record SearchParts(
    SearchScope scope,
    SearchCaller caller,
    ShardRequests requests,
    OpenContexts contexts,
    HeldFrames frames,
    Echoes echoes,
    SearchBreak broken) {
  static SearchParts of(SearchScope scope, SearchCaller caller, SearchBreak broken) {
    return new SearchParts(
        scope,
        caller,
        new ShardRequests(scope),
        new OpenContexts(
            caller, scope.shards().size(), scope.request().pointInTimeBuilder() != null),
        new HeldFrames(),
        new Echoes(scope.request(), scope.shards().size()),
        broken);
  }

  /** Not for scrolls and points in time: they keep their contexts on the copies they began on. */
  boolean anyCopyWillDo() {
    return scope.request().scroll() == null && scope.request().pointInTimeBuilder() == null;
  }
}
