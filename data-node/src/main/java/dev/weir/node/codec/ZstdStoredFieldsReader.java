package dev.weir.node.codec;

import java.io.IOException;
import org.apache.lucene.codecs.StoredFieldsReader;
import org.apache.lucene.index.StoredFieldVisitor;

/**
 * Reads a segment: Lucene's reader of the chunks, and the use of a dictionary that ends when the
 * segment is closed. Clones and merge instances belong to the reader they come from, and are not
 * closed.
 */
final class ZstdStoredFieldsReader extends StoredFieldsReader {
  private final StoredFieldsReader chunks;
  private final ZstdMode mode;
  private boolean closed;

  /**
   * Makes a reader.
   *
   * @param mode the reader releases it
   */
  ZstdStoredFieldsReader(StoredFieldsReader chunks, ZstdMode mode) {
    this.chunks = chunks;
    this.mode = mode;
  }

  /** Returns Lucene's reader, which knows whether its chunks can be copied as they are. */
  StoredFieldsReader chunks() {
    return chunks;
  }

  ZstdMode mode() {
    return mode;
  }

  @Override
  public void document(int document, StoredFieldVisitor visitor) throws IOException {
    chunks.document(document, visitor);
  }

  @Override
  public void prefetch(int document) throws IOException {
    chunks.prefetch(document);
  }

  @Override
  public StoredFieldsReader clone() {
    return new ZstdStoredFieldsReader(chunks.clone(), mode);
  }

  @Override
  public StoredFieldsReader getMergeInstance() {
    return new ZstdStoredFieldsReader(chunks.getMergeInstance(), mode);
  }

  @Override
  public void checkIntegrity() throws IOException {
    // The dictionary's checksum was verified when it was read.
    chunks.checkIntegrity();
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        chunks.close();
      } finally {
        mode.release();
      }
    }
  }

  @Override
  public String toString() {
    return "ZstdStoredFieldsReader(" + mode + ", " + chunks + ")";
  }
}
