package dev.weir.gateway.rehearsal;

import dev.weir.protocol.FrameLayout;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** A received frame of the transport protocol, in the layout of {@link FrameLayout}. */
public final class RecordedFrame {
  private static final int MAX_BYTES = 64 << 20;
  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** The index's name as serialised, before its UUID of 22 characters and the shard's number. */
  private static final byte[] INDEX =
      ((char) RehearsalRequest.INDEX.length() + RehearsalRequest.INDEX + (char) 22)
          .getBytes(StandardCharsets.US_ASCII);

  private static final int UUID = 22;

  private final byte[] bytes;

  RecordedFrame(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Reads the next frame; null at the end of the stream. */
  public static @Nullable RecordedFrame read(DataInputStream in) throws IOException {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    if ((first << 8 | in.read()) != FrameLayout.MARKER) {
      throw new IOException("got a frame that begins with byte " + first + " (expected: ES)");
    }
    int length = in.readInt();
    if (length > MAX_BYTES) {
      throw new IOException(
          "got a frame of " + length + " bytes (expected: at most " + MAX_BYTES + ")");
    }
    byte[] bytes = new byte[FrameLayout.PREFIX_BYTES + Math.max(0, length)];
    ByteBuffer.wrap(bytes).putShort(FrameLayout.MARKER).putInt(length);
    in.readFully(bytes, FrameLayout.PREFIX_BYTES, bytes.length - FrameLayout.PREFIX_BYTES);
    return new RecordedFrame(bytes);
  }

  /** The whole frame; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether the frame is a keep-alive. */
  public boolean isPing() {
    return bytes.length == FrameLayout.PREFIX_BYTES;
  }

  /** Whether the frame is a response. */
  public boolean isResponse() {
    return (bytes[FrameLayout.STATUS_OFFSET] & FrameLayout.RESPONSE) != 0;
  }

  /** The id that a request and its response share. */
  public long requestId() {
    return ByteBuffer.wrap(bytes).getLong(FrameLayout.REQUEST_ID_OFFSET);
  }

  /** The same response for another request. */
  RecordedFrame withRequestId(long id) {
    byte[] changed = bytes.clone();
    ByteBuffer.wrap(changed).putLong(FrameLayout.REQUEST_ID_OFFSET, id);
    return new RecordedFrame(changed);
  }

  /**
   * Identifies a request in a recording: its action, the rehearsal request that caused it, and its
   * shard; for other requests, its action and the checksum of its payload.
   */
  public Key key() throws IOException {
    ByteBuffer in = ByteBuffer.wrap(bytes).position(FrameLayout.HEADER_BYTES);
    Map<String, String> headers = new HashMap<>();
    for (int left = vint(in); left > 0; left--) {
      headers.put(string(in), string(in));
    }
    for (int left = vint(in); left > 0; left--) {
      string(in);
      skipStrings(in);
    }
    skipStrings(in); // features
    String action = string(in);
    int payload =
        FrameLayout.HEADER_BYTES
            + ByteBuffer.wrap(bytes).getInt(FrameLayout.VARIABLE_LENGTH_OFFSET);
    String requestName = headers.get(OPAQUE_ID);
    return requestName == null
        ? new Key(action, "", checksum(payload))
        : new Key(action, requestName, findShard(payload));
  }

  /**
   * Identifies a request.
   *
   * @param requestName the name of the rehearsal request; empty for other requests
   * @param part the shard's number, -1 for none; for other requests the payload's checksum
   */
  public record Key(String action, String requestName, long part) {}

  private long checksum(int payload) {
    CRC32 sum = new CRC32();
    sum.update(bytes, payload, bytes.length - payload);
    return sum.getValue();
  }

  private int findShard(int payload) {
    for (int at = payload; at < bytes.length - INDEX.length - UUID; at++) {
      if (startsWith(INDEX, at)) {
        return bytes[at + INDEX.length + UUID];
      }
    }
    return -1;
  }

  private boolean startsWith(byte[] prefix, int at) {
    for (int i = 0; i < prefix.length; i++) {
      if (bytes[at + i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  /** The same frame with another port after each loopback address. */
  RecordedFrame withPort(int port) {
    byte[] address = {9, '1', '2', '7', '.', '0', '.', '0', '.', '1', 0, 0};
    byte[] changed = bytes.clone();
    for (int at = FrameLayout.HEADER_BYTES; at < bytes.length - address.length - 2; at++) {
      if (startsWith(address, at)) {
        ByteBuffer.wrap(changed).putInt(at + address.length - 2, port);
      }
    }
    return new RecordedFrame(changed);
  }

  private static void skipStrings(ByteBuffer in) throws IOException {
    for (int left = vint(in); left > 0; left--) {
      string(in);
    }
  }

  private static String string(ByteBuffer in) throws IOException {
    byte[] ascii = new byte[vint(in)];
    if (ascii.length > in.remaining()) {
      throw new EOFException(
          "got the end of the header (expected: " + ascii.length + " characters)");
    }
    in.get(ascii);
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  private static int vint(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.get();
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
