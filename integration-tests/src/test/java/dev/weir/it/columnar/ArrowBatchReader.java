package dev.weir.it.columnar;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;

/** The batches of an Arrow stream, and each batch's cursor. */
final class ArrowBatchReader {
  private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

  private final byte[] stream;
  private final List<Integer> ends;
  private final List<String> cursors;

  private ArrowBatchReader(byte[] stream, List<Integer> ends, List<String> cursors) {
    this.stream = stream;
    this.ends = ends;
    this.cursors = cursors;
  }

  static ArrowBatchReader of(byte[] stream) {
    List<Integer> ends = new ArrayList<>();
    List<String> cursors = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() > END.length) {
      in.getInt();
      int length = in.getInt();
      Message message = Message.getRootAsMessage(in.slice().order(ByteOrder.LITTLE_ENDIAN));
      in.position(in.position() + length + (int) message.bodyLength());
      if (message.headerType() == MessageHeader.RecordBatch) {
        ends.add(in.position());
        cursors.add(message.customMetadataLength() == 0 ? "" : message.customMetadata(0).value());
      }
    }
    return new ArrowBatchReader(stream, ends, cursors);
  }

  /** Returns the number of batches. */
  int count() {
    return ends.size();
  }

  /** Returns the cursor of a batch, from 0. */
  String cursor(int batch) {
    return cursors.get(batch);
  }

  /** Returns the stream up to this number of batches, as if it had ended there. */
  byte[] first(int batches) {
    int end = ends.get(batches - 1);
    byte[] part = Arrays.copyOf(stream, end + END.length);
    System.arraycopy(END, 0, part, end, END.length);
    return part;
  }
}
