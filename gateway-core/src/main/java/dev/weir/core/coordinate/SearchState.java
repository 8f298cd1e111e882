package dev.weir.core.coordinate;

/**
 * Where a search stands.
 *
 * <pre>
 *  Preparing --> Matching --> Querying --> QueryingWithTerms --.
 *   ^  |  `------------------^  |  `--------------------------> Reducing --> Fetching --> Expanding
 *   |  v                        |                                 |             |  |        |
 *  Refreshing <-----------------'                                 |             |  |        |
 *      `--> (back to where it came from, when nothing moved)      v             v  v        v
 *                                                            any state -----------------> Done
 * </pre>
 *
 * From QueryingWithTerms and Fetching once back to Refreshing and Preparing, when a node was lost
 * with what it held.
 */
sealed interface SearchState {
  /**
   * The search is planned against the newest view, and perhaps waits to be let in; {@code again} on
   * the second attempt.
   */
  record Preparing(boolean isRestart) implements SearchState {}

  /** A newer view is awaited: a shard was found on none of its copies, or a node was lost. */
  record Refreshing() implements SearchState {}

  /** Shards are asked whether they can match at all. */
  record Matching(ShardFanOut<?> fanOut) implements SearchState {}

  /** Shards are queried, or asked for their term statistics, or to open a point in time. */
  record Querying(ShardFanOut<?> fanOut) implements SearchState {}

  /** Shards are queried with the term statistics of all. */
  record QueryingWithTermStatistics(NodeFanOut<?> fanOut) implements SearchState {}

  /** The answers of the shards become one. */
  record Reducing() implements SearchState {}

  /** The winning documents are fetched. */
  record Fetching(NodeFanOut<?> fanOut) implements SearchState {}

  /** What stands behind collapsed hits is searched for. */
  record Expanding() implements SearchState {}

  /** Somebody was told, or another gave up the search. */
  record Done() implements SearchState {}

  /** What its spans are called; empty for none. */
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

  /** Whether a search may go from this state to that one. */
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
