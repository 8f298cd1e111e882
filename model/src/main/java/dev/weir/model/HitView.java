package dev.weir.model;

/**
 * The one model of hits in every response format: plain, trimmed, columnar and exported hits are
 * written from it without an object for each hit. A hit has an index, an id, a score, a JSON
 * document and sort values, and nothing else; index names and ids are ASCII without JSON escapes.
 * Used by one thread, while the request holds the replies of its data nodes.
 */
public interface HitView {
  int count();

  /** Returns the name of a hit's index: the same object for hits of one shard. */
  String index(int i);

  /** Returns the length of a hit's id in bytes. */
  int idLength(int i);

  /** Writes a hit's id without quotes. */
  void writeId(int i, JsonBuffer json);

  /** Returns a hit's score; NaN for none. */
  float score(int i);

  /** Returns the length of a hit's document in bytes; 0 for none. */
  int sourceLength(int i);

  /** Returns null, integers, and text, in their response format; empty for none. */
  Object[] sortValues(int i);
}
