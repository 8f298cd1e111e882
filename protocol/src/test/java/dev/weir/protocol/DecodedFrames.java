package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Feeds a decoder and records its output as comparable text. */
final class DecodedFrames implements FrameDecoder.FrameListener, AutoCloseable {
  final List<String> seen = new ArrayList<>();
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final CountingFrameBudget held = new CountingFrameBudget(FrameBudget.UNLIMITED);
  private final Set<Long> skipped;
  private final FrameDecoder decoder;

  DecodedFrames(int maxFrameBytes, Set<Long> skipped) {
    this.decoder = new FrameDecoder(maxFrameBytes, this);
    this.skipped = skipped;
  }

  /** Feeds a range of an array. */
  void feed(byte[] bytes, int from, int to) throws IOException {
    ByteBuf in = Unpooled.wrappedBuffer(bytes, from, to - from);
    decoder.decode(in);
    if (in.isReadable()) {
      throw new IllegalStateException("got " + in.readableBytes() + " bytes left (expected: 0)");
    }
  }

  long heldMemory() {
    return allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
  }

  @Override
  public @Nullable Frame onHeader(FrameHeader head) {
    if (skipped.contains(head.requestId)) {
      seen.add("skip " + head.requestId);
      return null;
    }
    Frame.Charge charge = new Frame.Charge(held, null);
    charge.reserve(head.remainingBytes());
    return new Frame(
        head, allocator.heapBuffer(head.remainingBytes(), head.remainingBytes()), charge);
  }

  @Override
  public void onFrame(Frame frame) {
    seen.add(
        frame.requestId
            + " "
            + frame.status
            + " "
            + frame.versionId
            + " "
            + frame.variableLength
            + " "
            + frame.wireBytes()
            + " "
            + ByteBufUtil.hexDump(frame.content()));
    frame.release();
  }

  @Override
  public @Nullable Frame onOversizedHeader(FrameHeader head) {
    seen.add("too long " + head.requestId);
    return null;
  }

  @Override
  public void close() {
    decoder.close();
  }
}
