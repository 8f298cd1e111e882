package dev.weir.core.reduce.hits;

import dev.weir.core.reduce.json.PlainJsonWriter;
import org.apache.lucene.util.BytesRef;

/** Makes what stands around the documents of plain hits. Used by one thread. */
public interface HitJsonWriter {
  /** How many hits there are. */
  int count();

  /** Where the text is. */
  PlainJsonWriter writer();

  /** Puts what comes before a hit's document, or all that comes before its end if it has none. */
  void writePrefix(int i);

  /** Says where the document lies; whether one is written. */
  boolean locateDocument(int i, BytesRef at);

  /** Puts what comes behind it. */
  void writeSuffix(int i);

  /** How long a hit is, with its document and the comma before it. */
  long hitLength(int i);
}
