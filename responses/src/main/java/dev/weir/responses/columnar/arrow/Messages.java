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

/** The heads of the stream's messages. */
final class Messages {
  private static final int CONTINUES = -1;
  private static final int PREFIX = 8;
  private static final int ALIGNMENT = 8;

  /** The end of a stream. */
  static final BytesReference END = new BytesArray(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0});

  private Messages() {}

  /** The head of a batch. */
  static BytesReference batch(long rows, Body body) {
    return batch(rows, body, Map.of());
  }

  /**
   * The head of a batch.
   *
   * @param metadata what it tells beside
   */
  static BytesReference batch(long rows, Body body, Map<String, String> metadata) {
    FlatBufferBuilder builder = new FlatBufferBuilder(1024);
    int batch = recordBatch(builder, rows, body);
    int told = 0;
    if (!metadata.isEmpty()) {
      int[] entries =
          metadata.entrySet().stream()
              .mapToInt(entry -> entry(builder, entry.getKey(), entry.getValue()))
              .toArray();
      told = Message.createCustomMetadataVector(builder, entries);
    }
    return message(builder, MessageHeader.RecordBatch, batch, body.length(), told);
  }

  /** A key and its value. */
  static int entry(FlatBufferBuilder builder, String key, String value) {
    int name = builder.createString(key);
    int text = builder.createString(value);
    return KeyValue.createKeyValue(builder, name, text);
  }

  /** The head of a dictionary, which a field of the schema names. */
  static BytesReference dictionary(long id, long words, Body body) {
    FlatBufferBuilder builder = new FlatBufferBuilder(256);
    int data = recordBatch(builder, words, body);
    int dictionary = DictionaryBatch.createDictionaryBatch(builder, id, data, false);
    return message(builder, MessageHeader.DictionaryBatch, dictionary, body.length());
  }

  private static int recordBatch(FlatBufferBuilder builder, long rows, Body body) {
    List<Body.Place> places = body.places();
    RecordBatch.startBuffersVector(builder, places.size());
    for (Body.Place place : places.reversed()) {
      org.apache.arrow.flatbuf.Buffer.createBuffer(builder, place.offset(), place.length());
    }
    int buffers = builder.endVector();
    List<Body.Node> all = body.nodes();
    RecordBatch.startNodesVector(builder, all.size());
    for (Body.Node node : all.reversed()) {
      FieldNode.createFieldNode(builder, node.length(), node.nulls());
    }
    int nodes = builder.endVector();
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, rows);
    RecordBatch.addNodes(builder, nodes);
    RecordBatch.addBuffers(builder, buffers);
    return RecordBatch.endRecordBatch(builder);
  }

  /** A message's length and its flat buffer, to a multiple of 8 bytes. */
  static BytesReference message(FlatBufferBuilder builder, byte kind, int header, long bodyLength) {
    return message(builder, kind, header, bodyLength, 0);
  }

  private static BytesReference message(
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
    ByteBuffer bytes = ByteBuffer.allocate(PREFIX + padded).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(CONTINUES).putInt(padded).put(flat);
    return new BytesArray(bytes.array());
  }
}
