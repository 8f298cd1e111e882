package dev.weir.node.codec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.lucene.codecs.StoredFieldsWriter;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.store.ByteBuffersDataInput;
import org.apache.lucene.store.ByteBuffersDataOutput;
import org.apache.lucene.util.BytesRef;

/**
 * Stored fields of some documents, in order, to be written again and to train a dictionary on. As a
 * visitor it takes the fields of a document that a reader shows it. Confined to one thread.
 *
 * <p>A field is VInt number and type, then its value; an end mark follows the fields of a document.
 */
final class DocumentBuffer extends StoredFieldVisitor {
  private static final int TYPE_BITS = 3;
  private static final int TYPE_MASK = (1 << TYPE_BITS) - 1;
  private static final int END = 0;
  private static final int INT = 1;
  private static final int LONG = 2;
  private static final int FLOAT = 3;
  private static final int DOUBLE = 4;
  private static final int BYTES = 5;
  private static final int STRING = 6;

  private final ByteBuffersDataOutput content = new ByteBuffersDataOutput();
  private final Map<Integer, FieldInfo> fields = new HashMap<>();
  private final List<Long> ends = new ArrayList<>();

  @Override
  public Status needsField(FieldInfo field) {
    return Status.YES;
  }

  private void begin(FieldInfo field, int type) throws IOException {
    fields.put(field.number, field);
    content.writeVInt(field.number << TYPE_BITS | type);
  }

  @Override
  public void intField(FieldInfo field, int value) throws IOException {
    begin(field, INT);
    content.writeInt(value);
  }

  @Override
  public void longField(FieldInfo field, long value) throws IOException {
    begin(field, LONG);
    content.writeLong(value);
  }

  @Override
  public void floatField(FieldInfo field, float value) throws IOException {
    begin(field, FLOAT);
    content.writeInt(Float.floatToRawIntBits(value));
  }

  @Override
  public void doubleField(FieldInfo field, double value) throws IOException {
    begin(field, DOUBLE);
    content.writeLong(Double.doubleToRawLongBits(value));
  }

  @Override
  public void stringField(FieldInfo field, String value) throws IOException {
    bytes(field, STRING, new BytesRef(value));
  }

  @Override
  public void binaryField(FieldInfo field, byte[] value) throws IOException {
    bytesField(field, new BytesRef(value));
  }

  void bytesField(FieldInfo field, BytesRef value) throws IOException {
    bytes(field, BYTES, value);
  }

  private void bytes(FieldInfo field, int type, BytesRef value) throws IOException {
    begin(field, type);
    content.writeVInt(value.length);
    content.writeBytes(value.bytes, value.offset, value.length);
  }

  /** Ends the document whose fields were added last. */
  void endDocument() throws IOException {
    content.writeVInt(END);
    ends.add(content.size());
  }

  /** Returns the bytes of all documents. */
  long size() {
    return content.size();
  }

  long ramBytesUsed() {
    return content.ramBytesUsed();
  }

  /** Writes all documents to a writer of stored fields. */
  void writeTo(StoredFieldsWriter to) throws IOException {
    ByteBuffersDataInput in = content.toDataInput();
    for (int document = 0; document < ends.size(); document++) {
      to.startDocument();
      for (int tag = in.readVInt(); tag != END; tag = in.readVInt()) {
        copyField(in, tag, to);
      }
      to.finishDocument();
    }
  }

  private void copyField(ByteBuffersDataInput in, int tag, StoredFieldsWriter to)
      throws IOException {
    FieldInfo field = Objects.requireNonNull(fields.get(tag >>> TYPE_BITS));
    switch (tag & TYPE_MASK) {
      case INT -> to.writeField(field, in.readInt());
      case LONG -> to.writeField(field, in.readLong());
      case FLOAT -> to.writeField(field, Float.intBitsToFloat(in.readInt()));
      case DOUBLE -> to.writeField(field, Double.longBitsToDouble(in.readLong()));
      case BYTES -> to.writeField(field, readBytes(in));
      case STRING -> to.writeField(field, readBytes(in).utf8ToString());
      default -> throw new AssertionError(tag);
    }
  }

  private static BytesRef readBytes(ByteBuffersDataInput in) throws IOException {
    byte[] value = new byte[in.readVInt()];
    in.readBytes(value, 0, value.length);
    return new BytesRef(value);
  }

  /**
   * Returns the documents as a segment has them in its chunks: blocks of successive documents, the
   * last one shorter.
   *
   * @param blockSize bytes of a block; one document may be in several
   * @param maxBytes of all blocks
   */
  List<byte[]> blocks(int blockSize, int maxBytes) throws IOException {
    List<byte[]> blocks = new ArrayList<>();
    ByteBuffersDataInput in = content.toDataInput();
    long left = Math.min(maxBytes, content.size());
    while (left > 0) {
      byte[] block = new byte[(int) Math.min(blockSize, left)];
      in.readBytes(block, 0, block.length);
      blocks.add(block);
      left -= block.length;
    }
    return blocks;
  }
}
