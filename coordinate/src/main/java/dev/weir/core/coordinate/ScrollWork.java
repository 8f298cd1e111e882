package dev.weir.core.coordinate;

/**
 * The parts of a scroll's next page that know OpenSearch. Confined to the request's event loop; the
 * methods are called in the order in which they stand here.
 */
public interface ScrollWork extends CancellableWork {
  /** The round that finds the page's documents. */
  NodeRound<?> createQueryRound();

  /**
   * Reduces the query results and returns the round that fetches the documents; it has no calls
   * when nothing was found.
   */
  NodeRound<?> createFetchRound();

  /** Sends the response. */
  void respond(int successful);

  /** Fails, because no shard succeeded in a phase. */
  void failAllShards(String phase);

  /** Fails, because the results could not be reduced. */
  void fail(RuntimeException failure);
}
