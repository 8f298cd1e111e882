package dev.weir.core.reduce;

/**
 * The next page of a scroll, all of it that knows OpenSearch. Confined to the request's home; asked
 * for in the order in which its methods stand here.
 */
public interface ScrollWork extends CancellableWork {
  /** The round that finds the page's documents. */
  NodeRound<?> query();

  /** Reduces what was found; the round that fetches it, without calls when there is nothing. */
  NodeRound<?> fetch();

  /** Gives the answer. */
  void answer(int successful);

  /** Fails, because no shard answered in a phase. */
  void failAll(String phase);

  /** Fails, because what was found could not be reduced. */
  void fail(RuntimeException failure);
}
