package dev.weir.responses.export;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The position from which a client can resume an export: the point in time, and the progress of
 * each slice.
 *
 * @param requestHash identifies the request of the export
 * @param pitId the id of the point in time
 * @param isPitOwned the gateway created the point in time for the export
 * @param startMillis the meaning of {@code now} in the query, in milliseconds since 1970
 * @param rowsSent the rows sent so far
 * @param positions the positions of the unfinished slices
 */
record ExportCursor(
    long requestHash,
    String pitId,
    boolean isPitOwned,
    long startMillis,
    long rowsSent,
    List<ExportSlice.Position> positions) {
  private static final int VERSION = 1;

  /**
   * The bound of the inflated size, relative to the text's length. It is this large because the
   * search contexts of shards compress badly.
   */
  private static final int MAX_INFLATION_RATIO = 32;

  private static final int MAX_SLICES = 1 << 16;

  /** Encodes the cursor as letters, digits, {@code -} and {@code _}, signed. */
  String encode(CursorSigner.Seal seal) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVInt(VERSION);
      out.writeLong(requestHash);
      out.writeByteArray(Base64.getUrlDecoder().decode(pitId));
      out.writeBoolean(isPitOwned);
      out.writeVLong(startMillis);
      out.writeVLong(rowsSent);
      out.writeVInt(positions.size());
      for (ExportSlice.Position slice : positions) {
        out.writeZLong(slice.shard());
        CursorValueCodec.write(slice.searchAfter(), out);
        out.writeZLong(slice.end());
      }
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (DeflaterOutputStream deflating = new DeflaterOutputStream(packed)) {
        out.bytes().writeTo(deflating);
      }
      return seal.seal(packed.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Decodes a cursor.
   *
   * @throws IllegalArgumentException if the text is no cursor, or one with another seal
   */
  static ExportCursor decode(String text, CursorSigner.Seal seal) {
    byte[] packed = seal.open(text);
    try (InputStream inflating = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      byte[] bytes = inflating.readNBytes(MAX_INFLATION_RATIO * text.length());
      return read(new BytesArray(bytes));
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "got a cursor that can't be read (expected: one of an export, whole)", e);
    }
  }

  private static ExportCursor read(BytesReference bytes) throws IOException {
    try (StreamInput in = bytes.streamInput()) {
      int version = in.readVInt();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "got version " + version + " (expected: " + VERSION + ")");
      }
      long belongs = in.readLong();
      String pit = Base64.getUrlEncoder().encodeToString(in.readByteArray());
      boolean own = in.readBoolean();
      long startMillis = in.readVLong();
      long rows = in.readVLong();
      int count = in.readVInt();
      if (count < 0 || count > MAX_SLICES) {
        throw new IllegalArgumentException("got " + count + " slices (expected: those there are)");
      }
      List<ExportSlice.Position> left = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int shard = (int) in.readZLong();
        Object[] after = CursorValueCodec.read(in);
        if (shard != ExportSlice.ALL_SHARDS && after != null && !(after[0] instanceof Number)) {
          throw new IllegalArgumentException("got no document's number (expected: one)");
        }
        left.add(new ExportSlice.Position(shard, after, in.readZLong()));
      }
      if (in.read() >= 0) {
        throw new IllegalArgumentException("got more than a cursor (expected: nothing behind it)");
      }
      return new ExportCursor(belongs, pit, own, startMillis, rows, left);
    }
  }
}
