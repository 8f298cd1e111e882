package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameArrayPoolTest {
  private static final int MEGABYTE = 1 << 20;

  private final FrameArrayPool arrays = new FrameArrayPool(MEGABYTE);

  private ByteBuf buffer(int bytes) {
    return arrays.allocate(bytes, UnpooledByteBufAllocator.DEFAULT);
  }

  @Test
  void fitEverySizeWithLittleWaste() {
    Random random = new Random(5);
    for (int round = 0; round < 10_000; round++) {
      int bytes =
          FrameArrayPool.MIN_POOLED_BYTES
              + random.nextInt(2 * MEGABYTE - FrameArrayPool.MIN_POOLED_BYTES);
      int size = FrameArrayPool.sizeOf(FrameArrayPool.sizeClass(bytes));
      assertThat(size).as("for %d", bytes).isBetween(bytes, bytes + bytes / 4);
      assertThat(FrameArrayPool.sizeClass(size)).isEqualTo(FrameArrayPool.sizeClass(bytes));
    }
    assertThat(FrameArrayPool.sizeOf(FrameArrayPool.sizeClass(FrameArrayPool.MIN_POOLED_BYTES)))
        .isEqualTo(FrameArrayPool.MIN_POOLED_BYTES);
  }

  @Test
  void takesExactlyAsMuchAsAFrameHas() {
    ByteBuf buffer = buffer(100_000);
    assertThat(buffer.hasArray()).isTrue();
    assertThat(buffer.writableBytes()).isEqualTo(100_000);
    buffer.writeZero(100_000);
    assertThat(buffer.isWritable()).isFalse();
    buffer.release();
  }

  @Test
  void usesAnArrayAgain() {
    ByteBuf first = buffer(100_000);
    byte[] array = first.array();
    ByteBuf meanwhile = buffer(100_000);
    assertThat(meanwhile.array()).isNotSameAs(array);
    first.release();
    assertThat(arrays.pooledBytes()).isEqualTo(array.length);

    ByteBuf second = buffer(101_000);

    assertThat(second.array()).isSameAs(array);
    assertThat(arrays.pooledBytes()).isZero();
    second.release();
    meanwhile.release();
  }

  @Test
  void keepsNoMoreThanItMay() {
    ByteBuf[] held = new ByteBuf[40];
    for (int i = 0; i < held.length; i++) {
      held[i] = buffer(100_000 + 10_000 * i);
    }
    for (ByteBuf one : held) {
      one.release();
    }
    assertThat(arrays.pooledBytes()).isBetween(MEGABYTE / 2L, (long) MEGABYTE);
  }

  @Test
  void makeSpaceForCurrentSizes() {
    ByteBuf[] held = new ByteBuf[30];
    for (int i = 0; i < held.length; i++) {
      held[i] = buffer(70_000);
    }
    for (ByteBuf one : held) {
      one.release();
    }
    ByteBuf large = buffer(400_000);
    byte[] array = large.array();

    large.release();

    assertThat(arrays.pooledBytes()).isBetween(MEGABYTE / 2L, (long) MEGABYTE);
    ByteBuf again = buffer(400_000);
    assertThat(again.array()).isSameAs(array);
    again.release();
  }

  @Test
  void trimWhatNoFrameNeeded() {
    ByteBuf[] held = {buffer(100_000), buffer(100_000), buffer(100_000)};
    for (ByteBuf one : held) {
      one.release();
    }
    long each = arrays.pooledBytes() / 3;
    arrays.trim();
    assertThat(arrays.pooledBytes()).as("all were needed").isEqualTo(3 * each);

    buffer(100_000).release();
    arrays.trim();
    assertThat(arrays.pooledBytes()).as("one was needed").isEqualTo(each);

    arrays.trim();
    assertThat(arrays.pooledBytes()).as("none was needed").isZero();
  }
}
