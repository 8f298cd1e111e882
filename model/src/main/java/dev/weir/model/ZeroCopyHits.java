package dev.weir.model;

/** Hits that lie in the replies of data nodes, with the positions of their ids and documents. */
public interface ZeroCopyHits extends HitView {
  /** Returns the array with a hit's id and document. */
  byte[] bytes(int i);

  /** Returns the position of a hit's id. */
  int idOffset(int i);

  /** Returns the position of a hit's document. */
  int sourceOffset(int i);
}
