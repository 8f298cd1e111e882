package dev.weir.node.codec;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.codecs.StoredFieldsReader;
import org.apache.lucene.codecs.StoredFieldsWriter;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.MergeState;
import org.apache.lucene.index.StoredFieldDataInput;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Writes a segment: keeps the first documents until they suffice to choose a dictionary, then
 * passes them and all others to Lucene's writer of chunks. Confined to one thread.
 */
final class ZstdStoredFieldsWriter extends StoredFieldsWriter {
  private final DictionaryChoice choice;
  private final Opener opener;
  private @Nullable DocumentBuffer first = new DocumentBuffer();
  private @Nullable Chunks chunks;

  /** Opens the segment's files once the dictionary is known. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens them.
     *
     * @param dictionary empty for none
     */
    Chunks open(byte[] dictionary) throws IOException;
  }

  /**
   * The open files of a segment.
   *
   * @param writer closed by the user
   * @param mode released by the user
   */
  record Chunks(StoredFieldsWriter writer, ZstdMode mode) {}

  ZstdStoredFieldsWriter(DictionaryChoice choice, Opener opener) {
    this.choice = choice;
    this.opener = opener;
  }

  @Override
  public void startDocument() throws IOException {
    if (chunks != null) {
      chunks.writer.startDocument();
    }
  }

  @Override
  public void finishDocument() throws IOException {
    if (first == null) {
      writer().finishDocument();
    } else {
      first.endDocument();
      if (first.size() >= DictionaryChoice.SAMPLE_BYTES) {
        writeFirst(first);
      }
    }
  }

  private void writeFirst(DocumentBuffer documents) throws IOException {
    StoredFieldsWriter writer = open(choice.choose(documents));
    documents.writeTo(writer);
  }

  private StoredFieldsWriter open(byte[] dictionary) throws IOException {
    Chunks opened = opener.open(dictionary);
    chunks = opened;
    first = null;
    return opened.writer;
  }

  private StoredFieldsWriter writer() {
    return Objects.requireNonNull(chunks).writer;
  }

  @Override
  public void writeField(FieldInfo field, int value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.intField(field, value);
    }
  }

  @Override
  public void writeField(FieldInfo field, long value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.longField(field, value);
    }
  }

  @Override
  public void writeField(FieldInfo field, float value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.floatField(field, value);
    }
  }

  @Override
  public void writeField(FieldInfo field, double value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.doubleField(field, value);
    }
  }

  @Override
  public void writeField(FieldInfo field, BytesRef value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.bytesField(field, value);
    }
  }

  @Override
  public void writeField(FieldInfo field, StoredFieldDataInput value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      byte[] bytes = new byte[value.length()];
      value.in().readBytes(bytes, 0, bytes.length);
      first.binaryField(field, bytes);
    }
  }

  @Override
  public void writeField(FieldInfo field, String value) throws IOException {
    if (first == null) {
      writer().writeField(field, value);
    } else {
      first.stringField(field, value);
    }
  }

  @Override
  public void finish(int documents) throws IOException {
    if (first != null) {
      writeFirst(first);
    }
    writer().finish(documents);
  }

  /**
   * Merges segments. Lucene's writer copies the chunks of those that have the chosen dictionary,
   * level and chunk size, and no deleted documents; it compresses the documents of all others
   * again.
   */
  @Override
  public int merge(MergeState merge) throws IOException {
    StoredFieldsWriter writer = open(choice.choose(merge));
    StoredFieldsReader[] readers = merge.storedFieldsReaders;
    StoredFieldsReader[] given = readers.clone();
    try {
      for (int i = 0; i < readers.length; i++) {
        if (readers[i] instanceof ZstdStoredFieldsReader reader) {
          readers[i] = reader.chunks();
        }
      }
      return writer.merge(merge);
    } finally {
      System.arraycopy(given, 0, readers, 0, given.length);
    }
  }

  @Override
  public void close() throws IOException {
    Chunks open = chunks;
    chunks = null;
    if (open != null) {
      try {
        open.writer.close();
      } finally {
        open.mode.release();
      }
    }
  }

  @Override
  public long ramBytesUsed() {
    return (first == null ? 0 : first.ramBytesUsed())
        + (chunks == null ? 0 : chunks.writer.ramBytesUsed());
  }
}
