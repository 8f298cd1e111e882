package dev.weir.http;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HashMap;
import java.util.Map;

/** An allocator that fails for direct buffers of one size, and counts the others. */
final class FailingDirectAllocator extends AbstractByteBufAllocator {
  private final UnpooledByteBufAllocator all = new UnpooledByteBufAllocator(true);
  private final Map<Integer, Integer> given = new HashMap<>();
  private int refused = -1;

  FailingDirectAllocator() {
    super(true);
  }

  /** Fails for buffers of this size from now on. */
  void refuse(int size) {
    refused = size;
  }

  /** Returns the number of allocated buffers with this initial size. */
  int given(int size) {
    return given.getOrDefault(size, 0);
  }

  /** Returns the bytes of unreleased buffers. */
  long used() {
    return all.metric().usedDirectMemory() + all.metric().usedHeapMemory();
  }

  @Override
  protected ByteBuf newHeapBuffer(int size, int most) {
    return all.heapBuffer(size, most);
  }

  @Override
  protected ByteBuf newDirectBuffer(int size, int most) {
    if (size == refused) {
      throw new OutOfMemoryError("got no direct memory for " + size + " bytes (expected: some)");
    }
    given.merge(size, 1, Integer::sum);
    return all.directBuffer(size, most);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
