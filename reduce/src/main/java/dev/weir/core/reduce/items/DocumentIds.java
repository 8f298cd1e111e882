package dev.weir.core.reduce.items;

/** The ids and positions of the documents that a shard was sent, in that order. */
public interface DocumentIds {
  int size();

  /** Returns the position of a document in the bulk. */
  int slot(int row);

  String id(int row);

  /** Returns the array that has the id, in ASCII. */
  byte[] idBytes();

  /** Returns where in the array the id begins. */
  int idOffset(int row);

  int idLength(int row);
}
