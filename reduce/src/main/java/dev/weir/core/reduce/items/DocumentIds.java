package dev.weir.core.reduce.items;

/**
 * The ids and positions of the documents that a shard was sent, in that order. Ids may be in the
 * body of the client's request: they are valid until the request ends.
 */
public interface DocumentIds {
  int size();

  /** Returns the position of a document in the bulk. */
  int slot(int row);

  String id(int row);

  /** Returns the array that has the id, in ASCII. */
  byte[] idBytes();

  /** Returns where in the array the id begins, in bytes. */
  int idOffset(int row);

  /** Returns the length of the id in bytes, which is that in characters. */
  int idLength(int row);
}
