package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.StreamCorruptedException;
import org.jspecify.annotations.Nullable;

/**
 * Turns a channel's bytes, split anyhow, into frames. Each byte is copied once, into the array that
 * the payload is later read from; a frame that nobody waits for is skipped without taking memory.
 * Confined to the channel's event loop; after it threw, it must not be fed again.
 */
final class FrameDecoder {
  /** What is done with the frames. */
  interface Sink {
    /**
     * A head was read and is in bounds.
     *
     * @return where to put the rest, with room for {@link FrameHead#rest()} bytes and an array
     *     behind it; with room for less to skip what does not fit; null to skip the rest
     */
    @Nullable Frame begin(FrameHead head);

    /**
     * A head was read whose frame is over the limit.
     *
     * @return where to put its first bytes; null to skip all of it
     */
    @Nullable Frame tooLong(FrameHead head);

    /** A frame is complete, as far as it has room; its one reference is given over. */
    void end(Frame frame);

    /** A keep-alive ping came. */
    void pinged();
  }

  private final int maxFrameBytes;
  private final Sink sink;
  private final FrameHead head = new FrameHead();
  private final ByteBuf partialHead = Unpooled.buffer(Wire.HEAD, Wire.HEAD);
  private @Nullable Frame frame;
  private int missing;

  /**
   * Makes a decoder.
   *
   * @param maxFrameBytes the largest frame that is taken, prefix included
   */
  FrameDecoder(int maxFrameBytes, Sink sink) {
    this.maxFrameBytes = maxFrameBytes;
    this.sink = sink;
  }

  /** Decodes all of {@code in}, which stays the caller's. */
  void decode(ByteBuf in) throws StreamCorruptedException {
    while (in.isReadable()) {
      if (missing > 0) {
        body(in);
      } else if (partialHead.writerIndex() == 0 && in.readableBytes() >= Wire.HEAD) {
        if (prefix(in, in.readerIndex())) {
          in.skipBytes(Wire.PREFIX);
        } else {
          int at = in.readerIndex();
          in.skipBytes(Wire.HEAD);
          head(in, at);
        }
      } else {
        partialHead(in);
      }
    }
  }

  /** Gives back the memory of a frame that will not be completed. */
  void close() {
    Frame left = frame;
    frame = null;
    missing = 0;
    if (left != null) {
      left.release();
    }
  }

  private void partialHead(ByteBuf in) throws StreamCorruptedException {
    int have = partialHead.writerIndex();
    int wanted = have < Wire.PREFIX ? Wire.PREFIX : Wire.HEAD;
    partialHead.writeBytes(in, Math.min(wanted - have, in.readableBytes()));
    int now = partialHead.writerIndex();
    if (now == Wire.PREFIX && prefix(partialHead, 0)) {
      partialHead.clear();
    } else if (now == Wire.HEAD) {
      partialHead.clear();
      head(partialHead, 0);
    }
  }

  /** Checks marker and length; true for a ping. */
  private boolean prefix(ByteBuf bytes, int at) throws StreamCorruptedException {
    if (bytes.getShort(at) != Wire.MARKER) {
      throw notOurs(bytes, at);
    }
    int length = bytes.getInt(at + Wire.LENGTH_AT);
    if (length == Wire.PING) {
      sink.pinged();
      return true;
    }
    if (length < Wire.LEAST_LENGTH) {
      throw new StreamCorruptedException(
          "frame of an impossible length: got "
              + length
              + " (expected: -1 or at least "
              + Wire.LEAST_LENGTH
              + ")");
    }
    head.length = length;
    return false;
  }

  private void head(ByteBuf bytes, int at) throws StreamCorruptedException {
    head.requestId = bytes.getLong(at + Wire.REQUEST_ID_AT);
    head.status = bytes.getByte(at + Wire.STATUS_AT);
    head.versionId = bytes.getInt(at + Wire.VERSION_AT);
    head.variableLength = bytes.getInt(at + Wire.VARIABLE_LENGTH_AT);
    int rest = head.rest();
    if (head.variableLength < 0 || head.variableLength > rest) {
      throw new StreamCorruptedException(
          "variable header beyond its frame: got "
              + head.variableLength
              + " bytes (expected: 0 to "
              + rest
              + ")");
    }
    frame = head.length > maxFrameBytes - Wire.PREFIX ? sink.tooLong(head) : sink.begin(head);
    missing = rest;
    if (rest == 0) {
      finish();
    }
  }

  private void body(ByteBuf in) {
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
      sink.end(done);
    }
  }

  private static StreamCorruptedException notOurs(ByteBuf bytes, int at) {
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
