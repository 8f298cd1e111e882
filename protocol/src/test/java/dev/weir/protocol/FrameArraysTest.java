package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameArraysTest {
  private static final int MEGABYTE = 1 << 20;

  private final FrameArrays arrays = new FrameArrays(MEGABYTE);

  private ByteBuf buffer(int bytes) {
    return arrays.buffer(bytes, UnpooledByteBufAllocator.DEFAULT);
  }

  @Test
  void hasRoomForEverySizeAndLittleMore() {
    Random random = new Random(5);
    for (int round = 0; round < 10_000; round++) {
      int bytes = FrameArrays.LARGE + random.nextInt(2 * MEGABYTE - FrameArrays.LARGE);
      int size = FrameArrays.sizeOf(FrameArrays.sizeClass(bytes));
      assertThat(size).as("for %d", bytes).isBetween(bytes, bytes + bytes / 4);
      assertThat(FrameArrays.sizeClass(size)).isEqualTo(FrameArrays.sizeClass(bytes));
    }
    assertThat(FrameArrays.sizeOf(FrameArrays.sizeClass(FrameArrays.LARGE)))
        .isEqualTo(FrameArrays.LARGE);
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
    assertThat(arrays.kept()).isEqualTo(array.length);

    ByteBuf second = buffer(101_000);

    assertThat(second.array()).isSameAs(array);
    assertThat(arrays.kept()).isZero();
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
    assertThat(arrays.kept()).isBetween(MEGABYTE / 2L, (long) MEGABYTE);
  }

  @Test
  void makesRoomForSizesThatComeNow() {
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

    assertThat(arrays.kept()).isBetween(MEGABYTE / 2L, (long) MEGABYTE);
    ByteBuf again = buffer(400_000);
    assertThat(again.array()).isSameAs(array);
    again.release();
  }
}
