package dev.weir.responses.columnar.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** Encodes the metadata of Arrow IPC messages. */
final class MessageEncoder {
  private static final int CONTINUATION = -1;
  private static final int PREFIX_BYTES = 8;
  private static final int ALIGNMENT = 8;

  /** The end-of-stream marker. */
  static final BytesReference END_OF_STREAM =
      new BytesArray(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0});

  private MessageEncoder() {}

  /** Encodes the metadata of a record batch. */
  static BytesReference encodeBatch(long rows, RecordBatchBody body) {
    return encodeBatch(rows, body, Map.of());
  }

  /**
   * Encodes the metadata of a record batch.
   *
   * @param metadata custom metadata of the message
   */
  static BytesReference encodeBatch(long rows, RecordBatchBody body, Map<String, String> metadata) {
    FlatBufferBuilder builder = new FlatBufferBuilder(1024);
    int batch = encodeRecordBatch(builder, rows, body);
    int customMetadata = 0;
    if (!metadata.isEmpty()) {
      int[] entries =
          metadata.entrySet().stream()
              .mapToInt(entry -> encodeKeyValue(builder, entry.getKey(), entry.getValue()))
              .toArray();
      customMetadata = Message.createCustomMetadataVector(builder, entries);
    }
    return encodeMessage(builder, MessageHeader.RecordBatch, batch, body.length(), customMetadata);
  }

  /** Encodes a key and its value; returns their offset in the flat buffer. */
  static int encodeKeyValue(FlatBufferBuilder builder, String key, String value) {
    int name = builder.createString(key);
    int text = builder.createString(value);
    return KeyValue.createKeyValue(builder, name, text);
  }

  /**
   * Encodes the metadata of a dictionary batch.
   *
   * @param id the id by which a field of the schema refers to the dictionary
   */
  static BytesReference encodeDictionary(long id, long words, RecordBatchBody body) {
    FlatBufferBuilder builder = new FlatBufferBuilder(256);
    int data = encodeRecordBatch(builder, words, body);
    int dictionary = DictionaryBatch.createDictionaryBatch(builder, id, data, false);
    return encodeMessage(builder, MessageHeader.DictionaryBatch, dictionary, body.length());
  }

  private static int encodeRecordBatch(FlatBufferBuilder builder, long rows, RecordBatchBody body) {
    List<RecordBatchBody.BufferSpan> places = body.buffers();
    RecordBatch.startBuffersVector(builder, places.size());
    for (RecordBatchBody.BufferSpan place : places.reversed()) {
      org.apache.arrow.flatbuf.Buffer.createBuffer(builder, place.offset(), place.length());
    }
    int buffers = builder.endVector();
    List<RecordBatchBody.VectorNode> all = body.nodes();
    RecordBatch.startNodesVector(builder, all.size());
    for (RecordBatchBody.VectorNode node : all.reversed()) {
      FieldNode.createFieldNode(builder, node.length(), node.nullCount());
    }
    int nodes = builder.endVector();
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, rows);
    RecordBatch.addNodes(builder, nodes);
    RecordBatch.addBuffers(builder, buffers);
    return RecordBatch.endRecordBatch(builder);
  }

  /** Encodes a message's prefix and its flat buffer, padded to a multiple of 8 bytes. */
  static BytesReference encodeMessage(
      FlatBufferBuilder builder, byte kind, int header, long bodyLength) {
    return encodeMessage(builder, kind, header, bodyLength, 0);
  }

  private static BytesReference encodeMessage(
      FlatBufferBuilder builder, byte kind, int header, long bodyLength, int metadata) {
    Message.startMessage(builder);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, kind);
    Message.addHeader(builder, header);
    Message.addBodyLength(builder, bodyLength);
    if (metadata != 0) {
      Message.addCustomMetadata(builder, metadata);
    }
    Message.finishMessageBuffer(builder, Message.endMessage(builder));
    ByteBuffer flat = builder.dataBuffer();
    int padded = (flat.remaining() + ALIGNMENT - 1) & -ALIGNMENT;
    ByteBuffer bytes = ByteBuffer.allocate(PREFIX_BYTES + padded).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(CONTINUATION).putInt(padded).put(flat);
    return new BytesArray(bytes.array());
  }
}
