package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.StreamCorruptedException;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a channel's bytes, split at any position, to frames. It copies each byte once, into the
 * array from which the payload is read. It skips frames without a waiting call, and allocates
 * nothing for them. Confined to the channel's event loop; unusable after an exception.
 */
final class FrameDecoder {
  /** Receives the decoded frames. */
  interface FrameListener {
    /**
     * Handles a valid header.
     *
     * @return the frame for the remaining bytes: a capacity of {@link FrameHeader#remainingBytes()}
     *     in an array receives all of them, a smaller capacity only the first ones; null skips all
     *     of them
     */
    @Nullable Frame onHeader(FrameHeader head);

    /**
     * Handles the header of a frame over the size limit.
     *
     * @return the frame for its first bytes; null skips all of it
     */
    @Nullable Frame onOversizedHeader(FrameHeader head);

    /** Handles a complete frame, or as much as its capacity holds; takes over its one reference. */
    void onFrame(Frame frame);
  }

  private final int maxFrameBytes;
  private final FrameListener listener;
  private final FrameHeader header = new FrameHeader();
  private final ByteBuf partialHead =
      Unpooled.buffer(FrameLayout.HEADER_BYTES, FrameLayout.HEADER_BYTES);
  private @Nullable Frame frame;
  private int missing;

  /**
   * Creates a decoder.
   *
   * @param maxFrameBytes the largest accepted frame, prefix included
   */
  FrameDecoder(int maxFrameBytes, FrameListener listener) {
    this.maxFrameBytes = maxFrameBytes;
    this.listener = listener;
  }

  /** Decodes all of {@code in}, which the caller owns. */
  void decode(ByteBuf in) throws StreamCorruptedException {
    while (in.isReadable()) {
      if (missing > 0) {
        decodeBody(in);
      } else if (partialHead.writerIndex() == 0 && in.readableBytes() >= FrameLayout.HEADER_BYTES) {
        if (checkPrefix(in, in.readerIndex())) {
          in.skipBytes(FrameLayout.PREFIX_BYTES);
        } else {
          int at = in.readerIndex();
          in.skipBytes(FrameLayout.HEADER_BYTES);
          decodeHeader(in, at);
        }
      } else {
        decodePartialHead(in);
      }
    }
  }

  /** Releases a frame that stays incomplete. */
  void close() {
    Frame left = frame;
    frame = null;
    missing = 0;
    if (left != null) {
      left.release();
    }
  }

  private void decodePartialHead(ByteBuf in) throws StreamCorruptedException {
    int have = partialHead.writerIndex();
    int wanted =
        have < FrameLayout.PREFIX_BYTES ? FrameLayout.PREFIX_BYTES : FrameLayout.HEADER_BYTES;
    partialHead.writeBytes(in, Math.min(wanted - have, in.readableBytes()));
    int now = partialHead.writerIndex();
    if (now == FrameLayout.PREFIX_BYTES && checkPrefix(partialHead, 0)) {
      partialHead.clear();
    } else if (now == FrameLayout.HEADER_BYTES) {
      partialHead.clear();
      decodeHeader(partialHead, 0);
    }
  }

  /** Checks marker and length; returns true for a ping. */
  private boolean checkPrefix(ByteBuf bytes, int at) throws StreamCorruptedException {
    if (bytes.getShort(at) != FrameLayout.MARKER) {
      throw malformedHeader(bytes, at);
    }
    int length = bytes.getInt(at + FrameLayout.LENGTH_OFFSET);
    if (length == FrameLayout.PING) {
      return true;
    }
    if (length < FrameLayout.MIN_LENGTH) {
      throw new StreamCorruptedException(
          "frame of an impossible length: got "
              + length
              + " (expected: -1 or at least "
              + FrameLayout.MIN_LENGTH
              + ")");
    }
    header.length = length;
    return false;
  }

  private void decodeHeader(ByteBuf bytes, int at) throws StreamCorruptedException {
    header.requestId = bytes.getLong(at + FrameLayout.REQUEST_ID_OFFSET);
    header.status = bytes.getByte(at + FrameLayout.STATUS_OFFSET);
    header.versionId = bytes.getInt(at + FrameLayout.VERSION_OFFSET);
    header.variableLength = bytes.getInt(at + FrameLayout.VARIABLE_LENGTH_OFFSET);
    int rest = header.remainingBytes();
    if (header.variableLength < 0 || header.variableLength > rest) {
      throw new StreamCorruptedException(
          "variable header beyond its frame: got "
              + header.variableLength
              + " bytes (expected: 0 to "
              + rest
              + ")");
    }
    frame =
        header.length > maxFrameBytes - FrameLayout.PREFIX_BYTES
            ? listener.onOversizedHeader(header)
            : listener.onHeader(header);
    missing = rest;
    if (rest == 0) {
      finish();
    }
  }

  private void decodeBody(ByteBuf in) {
    int now = Math.min(missing, in.readableBytes());
    Frame target = frame;
    if (target == null) {
      in.skipBytes(now);
    } else {
      int wanted = Math.min(now, target.content().writableBytes());
      target.content().writeBytes(in, wanted);
      in.skipBytes(now - wanted);
    }
    missing -= now;
    if (missing == 0 || (target != null && !target.content().isWritable())) {
      finish();
    }
  }

  private void finish() {
    Frame done = frame;
    frame = null;
    if (done != null) {
      listener.onFrame(done);
    }
  }

  private static StreamCorruptedException malformedHeader(ByteBuf bytes, int at) {
    int first = bytes.getInt(at);
    String hint =
        switch (first) {
          case 0x48545450 -> ", which is HTTP: is this a node's REST port?"; // "HTTP"
          default ->
              (first >>> 16) == 0x1503 || (first >>> 16) == 0x1603
                  ? ", which is TLS: does this node want TLS?"
                  : "";
        };
    return new StreamCorruptedException(
        "not a transport frame: got bytes "
            + String.format("%08x", first)
            + hint
            + " (expected: 4553, \"ES\")");
  }
}
