package dev.weir.core.reduce.hits;

import dev.weir.model.JsonBuffer;
import org.apache.lucene.util.BytesRef;

/** Writes the JSON text around the documents of plain hits. Used by one thread. */
public interface HitJsonWriter {
  /** Returns the number of hits. */
  int count();

  /** Returns the buffer that the prefixes and suffixes are written to. */
  JsonBuffer writer();

  /** Writes the text before a hit's document; without a document, everything except the suffix. */
  void writePrefix(int i);

  /**
   * Sets {@code at} to the document's bytes. Returns false if the hit is written without a
   * document.
   */
  boolean locateDocument(int i, BytesRef at);

  /** Writes the text after a hit's document. */
  void writeSuffix(int i);

  /** Returns the length of a hit in bytes, including its document and the comma before it. */
  long hitLength(int i);
}
