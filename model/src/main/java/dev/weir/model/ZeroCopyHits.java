package dev.weir.model;

/**
 * Hits that lie in their nodes' reply frames. A hit has only a shard, a score, a JSON document and
 * sort values. Ids and index names are ASCII that needs no escape in JSON. Used by one thread, as
 * long as the request retains the frames.
 */
public interface ZeroCopyHits {
  /** Returns the number of hits. */
  int count();

  /** Returns the name of a hit's index: the same object for all hits of one shard. */
  String index(int i);

  /** Returns a hit's score; NaN for none. */
  float score(int i);

  /** Returns the array that contains a hit's id and document. */
  byte[] bytes(int i);

  /** Returns the offset of the id in the array. */
  int idOffset(int i);

  /** Returns the length of the id in bytes. */
  int idLength(int i);

  /** Returns the offset of the document in the array. */
  int sourceOffset(int i);

  /** Returns the length of the document in bytes; 0 for none. */
  int sourceLength(int i);

  /**
   * Returns the sort values as shown: null, numbers without a fraction, and text; empty for none.
   */
  Object[] sortValues(int i);
}
