package dev.weir.testkit.fake;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Frames of the transport protocol, byte by byte: 'E' 'S', length, request id, status, version,
 * header length, header, payload.
 */
final class FakeFrame {
  /** Bytes up to and including the length. */
  static final int PREFIX = 6;

  /** Bytes from the request id to the header's length. */
  static final int FIXED = 8 + 1 + 4 + 4;

  /** The length of a ping, which has nothing after it. */
  static final int PING = -1;

  private static final byte RESPONSE = 1;
  private static final byte ERROR = 2;
  private static final byte HANDSHAKE = 8;

  /** No request headers and no response headers. */
  private static final byte[] NO_HEADERS = {0, 0};

  private FakeFrame() {}

  /** A response frame. */
  static byte[] response(FakeRequest request, byte[] payload) {
    return frame(request, RESPONSE, payload);
  }

  /** An error frame; the payload is a written exception. */
  static byte[] error(FakeRequest request, byte[] payload) {
    return frame(request, (byte) (RESPONSE | ERROR), payload);
  }

  private static byte[] frame(FakeRequest request, byte status, byte[] payload) {
    byte all = (byte) (status | (request.isHandshake() ? HANDSHAKE : 0));
    return ByteBuffer.allocate(PREFIX + FIXED + NO_HEADERS.length + payload.length)
        .put((byte) 'E')
        .put((byte) 'S')
        .putInt(FIXED + NO_HEADERS.length + payload.length)
        .putLong(request.requestId())
        .put(all)
        .putInt(request.versionId())
        .putInt(NO_HEADERS.length)
        .put(NO_HEADERS)
        .put(payload)
        .array();
  }

  /** A ping. */
  static byte[] ping() {
    return ByteBuffer.allocate(PREFIX).put((byte) 'E').put((byte) 'S').putInt(PING).array();
  }

  /** A frame that claims another length than it has. */
  static byte[] withLength(byte[] frame, int length) {
    byte[] changed = frame.clone();
    ByteBuffer.wrap(changed).putInt(2, length);
    return changed;
  }

  /** A frame for another request. */
  static byte[] withRequestId(byte[] frame, long requestId) {
    byte[] changed = frame.clone();
    ByteBuffer.wrap(changed).putLong(PREFIX, requestId);
    return changed;
  }

  /** A frame that does not begin as frames do. */
  static byte[] withWrongMagic(byte[] frame) {
    byte[] changed = frame.clone();
    changed[0] = 'X';
    return changed;
  }

  /** The first half of a frame, at least its length. */
  static byte[] half(byte[] frame) {
    return Arrays.copyOf(frame, Math.max(PREFIX, frame.length / 2));
  }
}
