package dev.weir.model;

/**
 * The hits of an answer that have nothing but a place, a score, a JSON document and what they are
 * sorted by, each where its node's answer lies. Ids and names of indices are ASCII that JSON needs
 * no escape for. Used by one thread, as long as the request holds its nodes' answers.
 */
public interface ZeroCopyHits {
  /** How many there are. */
  int count();

  /** The name of a hit's index: the same object for hits of one shard. */
  String index(int i);

  /** NaN for none. */
  float score(int i);

  /** Where a hit's id and document lie. */
  byte[] bytes(int i);

  /** Where in the bytes the id begins. */
  int idOffset(int i);

  /** How many bytes the id has. */
  int idLength(int i);

  /** Where in the bytes the document begins. */
  int sourceOffset(int i);

  /** How many bytes the document has; 0 for none. */
  int sourceLength(int i);

  /** Null, numbers without a fraction, and texts, as they are shown; empty for none. */
  Object[] sortValues(int i);
}
