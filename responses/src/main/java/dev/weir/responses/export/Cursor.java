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
 * Where an export can be gone on with: which point in time, and how far each of its slices was
 * told.
 *
 * @param belongs tells the request that it belongs to from others
 * @param pit the id of the point in time
 * @param own whether that was opened for the export
 * @param startMillis what {@code now} means in the query
 * @param rows told so far
 * @param left the slices that are not done
 */
record Cursor(
    long belongs, String pit, boolean own, long startMillis, long rows, List<Slice.Position> left) {
  private static final int VERSION = 1;

  /** No cursor inflates to more, for each byte of its text: contexts of shards differ. */
  private static final int MOST_INFLATED = 32;

  private static final int MOST_SLICES = 1 << 16;

  /** As text of letters, digits, {@code -} and {@code _}. */
  String encode() {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVInt(VERSION);
      out.writeLong(belongs);
      out.writeByteArray(Base64.getUrlDecoder().decode(pit));
      out.writeBoolean(own);
      out.writeVLong(startMillis);
      out.writeVLong(rows);
      out.writeVInt(left.size());
      for (Slice.Position slice : left) {
        out.writeZLong(slice.shard());
        CursorValues.write(slice.after(), out);
        out.writeZLong(slice.end());
      }
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (DeflaterOutputStream deflating = new DeflaterOutputStream(packed)) {
        out.bytes().writeTo(deflating);
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(packed.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException where it is none
   */
  static Cursor decode(String text) {
    try (InputStream inflating =
        new InflaterInputStream(new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
      byte[] bytes = inflating.readNBytes(MOST_INFLATED * text.length());
      return read(new BytesArray(bytes));
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "got a cursor that can't be read (expected: one of an export, whole)", e);
    }
  }

  private static Cursor read(BytesReference bytes) throws IOException {
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
      if (count < 0 || count > MOST_SLICES) {
        throw new IllegalArgumentException("got " + count + " slices (expected: those there are)");
      }
      List<Slice.Position> left = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int shard = (int) in.readZLong();
        Object[] after = CursorValues.read(in);
        if (shard != Slice.ALL && after != null && !(after[0] instanceof Number)) {
          throw new IllegalArgumentException("got no document's number (expected: one)");
        }
        left.add(new Slice.Position(shard, after, in.readZLong()));
      }
      if (in.read() >= 0) {
        throw new IllegalArgumentException("got more than a cursor (expected: nothing behind it)");
      }
      return new Cursor(belongs, pit, own, startMillis, rows, left);
    }
  }
}
