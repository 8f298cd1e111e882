package dev.weir.core.coordinate;

/**
 * The state of a search.
 *
 * <pre>
 *  Preparing --> Matching --> Querying --> QueryingWithTermStatistics
 *   ^  |  `------------------^  |  |               |
 *   |  v                        |  `---------------`--> Reducing --> Fetching --> Expanding
 *  Refreshing <-----------------'
 *      `--> the state that follows Preparing or Querying, where the cluster has not changed
 *  any state --> Done
 * </pre>
 *
 * A search goes once from QueryingWithTermStatistics or Fetching back to Refreshing and Preparing,
 * when it lost a node with the state that the node held.
 */
sealed interface SearchState {
  /** The search is planned against the newest view, and may wait for admission. */
  record Preparing(boolean isRestart) implements SearchState {}

  /**
   * The search waits for a newer view: planning failed, a shard had no copy, a node was lost, or
   * all shards of a pruned plan failed.
   */
  record Refreshing() implements SearchState {}

  /** Shards are asked whether they can match at all. */
  record Matching() implements SearchState {}

  /** Shards are queried, or asked for their term statistics, or to open a point in time. */
  record Querying() implements SearchState {}

  /** Shards are queried with the term statistics of all. */
  record QueryingWithTermStatistics() implements SearchState {}

  /** The gateway reduces the shards' results. */
  record Reducing() implements SearchState {}

  /** The top documents are fetched. */
  record Fetching() implements SearchState {}

  /** The hits behind collapsed hits are searched for. */
  record Expanding() implements SearchState {}

  /** The search has ended: the client has its outcome. */
  record Done() implements SearchState {}

  /** The name of its trace span; empty for none. */
  default String phase() {
    return switch (this) {
      case Matching _ -> "can_match";
      case Querying _ -> "query";
      case QueryingWithTermStatistics _ -> "dfs_query";
      case Reducing _ -> "reduce";
      case Fetching _ -> "fetch";
      case Preparing _, Refreshing _, Expanding _, Done _ -> "";
    };
  }

  /** Whether a search may go from this state to {@code next}. */
  default boolean canTransitionTo(SearchState next) {
    return switch (this) {
      case Preparing now ->
          next instanceof Matching
              || next instanceof Querying
              || next instanceof Done
              || (next instanceof Refreshing && !now.isRestart());
      case Refreshing now ->
          (next instanceof Preparing preparing && preparing.isRestart())
              || next instanceof Matching
              || next instanceof Querying
              || next instanceof QueryingWithTermStatistics
              || next instanceof Reducing
              || next instanceof Done;
      case Matching now -> next instanceof Querying || next instanceof Done;
      case Querying now ->
          next instanceof QueryingWithTermStatistics
              || next instanceof Reducing
              || next instanceof Refreshing
              || next instanceof Done;
      case QueryingWithTermStatistics now ->
          next instanceof Reducing || next instanceof Refreshing || next instanceof Done;
      case Reducing now -> next instanceof Fetching || next instanceof Done;
      case Fetching now ->
          next instanceof Expanding || next instanceof Refreshing || next instanceof Done;
      case Expanding now -> next instanceof Done;
      case Done now -> false;
    };
  }
}
