package dev.weir.core.coordinate;

/**
 * The next page of a scroll, all of it that knows OpenSearch. Confined to the request's home; asked
 * for in the order in which its methods stand here.
 */
public interface ScrollWork extends CancellableWork {
  /** The round that finds the page's documents. */
  NodeRound<?> createQueryRound();

  /** Reduces what was found; the round that fetches it, without calls when there is nothing. */
  NodeRound<?> createFetchRound();

  /** Gives the answer. */
  void respond(int successful);

  /** Fails, because no shard answered in a phase. */
  void failAllShards(String phase);

  /** Fails, because what was found could not be reduced. */
  void fail(RuntimeException failure);
}
