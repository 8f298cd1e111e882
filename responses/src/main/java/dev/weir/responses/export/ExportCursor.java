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
import org.jspecify.annotations.Nullable;
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
  private static final int VERSION = 2;

  /** Was compressed as a whole: its first byte is the one of zlib. Older gateways write it. */
  private static final int FIRST_VERSION = 1;

  private static final byte ZLIB_BYTE = 0x78;

  /**
   * The bound of the inflated size, relative to the text's length. It is this large because the
   * search contexts of shards compress badly.
   */
  private static final int MAX_INFLATION_RATIO = 32;

  private static final int MAX_SLICES = 1 << 16;

  /** Encodes the cursor as letters, digits, {@code -} and {@code _}, signed. */
  String encode(CursorSigner.Seal seal) {
    return encode(seal, packPitId(pitId));
  }

  /**
   * Encodes the cursor with an id that is packed already: it is the largest part by far, and the
   * same in all cursors of an export.
   *
   * @param packedPitId the id of the point in time, as {@link #packPitId} returns it
   */
  String encode(CursorSigner.Seal seal, byte[] packedPitId) {
    try (BytesStreamOutput content = new BytesStreamOutput()) {
      content.writeVInt(VERSION);
      content.writeByteArray(packedPitId);
      content.writeByteArray(deflate(encodeProgress()));
      return seal.seal(BytesReference.toBytes(content.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] packPitId(String pitId) {
    return deflate(Base64.getUrlDecoder().decode(pitId));
  }

  /** Encodes everything but the point in time. */
  private byte[] encodeProgress() throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeLong(requestHash);
      out.writeBoolean(isPitOwned);
      out.writeVLong(startMillis);
      out.writeVLong(rowsSent);
      out.writeVInt(positions.size());
      for (ExportSlice.Position slice : positions) {
        out.writeZLong(slice.shard());
        CursorValueCodec.write(slice.searchAfter(), out);
        out.writeZLong(slice.end());
      }
      return BytesReference.toBytes(out.bytes());
    }
  }

  private static byte[] deflate(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflating = new DeflaterOutputStream(packed)) {
      deflating.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  private static byte[] inflate(byte[] packed, int maxBytes) throws IOException {
    try (InputStream inflating = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      byte[] bytes = inflating.readNBytes(maxBytes + 1);
      if (bytes.length > maxBytes) {
        throw new IllegalArgumentException(
            "got more than " + maxBytes + " bytes (expected: fewer of a cursor this long)");
      }
      return bytes;
    }
  }

  /**
   * Decodes a cursor.
   *
   * @throws IllegalArgumentException if the text is no cursor, or one with another seal
   */
  static ExportCursor decode(String text, CursorSigner.Seal seal) {
    byte[] content = seal.open(text);
    int maxBytes = MAX_INFLATION_RATIO * text.length();
    try {
      return content[0] == ZLIB_BYTE
          ? readFirstVersion(inflate(content, maxBytes))
          : read(content, maxBytes);
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "got a cursor that can't be read (expected: one of an export, whole)", e);
    }
  }

  private static ExportCursor read(byte[] content, int maxBytes) throws IOException {
    try (StreamInput in = new BytesArray(content).streamInput()) {
      checkVersion(in.readVInt(), VERSION);
      byte[] pitId = inflate(in.readByteArray(), maxBytes);
      byte[] progress = inflate(in.readByteArray(), maxBytes);
      try (StreamInput rest = new BytesArray(progress).streamInput()) {
        return readProgress(rest, pitId);
      }
    }
  }

  private static ExportCursor readFirstVersion(byte[] content) throws IOException {
    try (StreamInput in = new BytesArray(content).streamInput()) {
      checkVersion(in.readVInt(), FIRST_VERSION);
      return readProgress(in, null);
    }
  }

  private static void checkVersion(int version, int expected) {
    if (version != expected) {
      throw new IllegalArgumentException(
          "got version " + version + " (expected: " + expected + ")");
    }
  }

  /**
   * Reads everything but the version.
   *
   * @param pitId the id of the point in time; null if it follows the hash of the request
   */
  private static ExportCursor readProgress(StreamInput in, byte @Nullable [] pitId)
      throws IOException {
    long belongs = in.readLong();
    byte[] pit = pitId == null ? in.readByteArray() : pitId;
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
    return new ExportCursor(
        belongs, Base64.getUrlEncoder().encodeToString(pit), own, startMillis, rows, left);
  }
}
