package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AccountedBufferTest {
  /** Large enough for pooled arrays. */
  private static final int SIZE = 20_000;

  private final FixedBodyBudget budget = new FixedBodyBudget(100_000);
  private final AccountedBuffer paid = new AccountedBuffer(budget);

  @AfterEach
  void costsNothingInTheEnd() {
    paid.release();
    assertThat(budget.used()).isZero();
    assertThat(paid.length()).isZero();
    assertThat(paid.capacity()).isZero();
  }

  private static byte[] bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static void append(AccountedBuffer to, byte[] bytes) {
    ByteBuf piece = Unpooled.wrappedBuffer(bytes);
    to.append(piece);
    piece.release();
  }

  private static byte[] copyOf(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  @Test
  void chargeNothingForAnEmptyBuffer() {
    assertThat(paid.bytes().remaining()).isZero();
    assertThat(paid.writableBytes()).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void keepTheContentWhenItGrows() {
    assertThat(paid.tryGrow(3)).isTrue();
    append(paid, new byte[] {1, 2, 3});
    assertThat(paid.writableBytes()).isZero();
    assertThat(paid.tryGrow(SIZE)).isTrue();
    append(paid, new byte[] {4});

    assertThat(copyOf(paid.bytes())).containsExactly(1, 2, 3, 4);
    assertThat(paid.length()).isEqualTo(4);
    assertThat(paid.writableBytes())
        .isEqualTo(paid.capacity() - 4)
        .isGreaterThanOrEqualTo(SIZE - 4);
    assertThat(budget.used())
        .isEqualTo(AccountedBuffer.allocatedSize(SIZE))
        .isEqualTo(paid.capacity());
  }

  @Test
  void takesAPieceFromWhereItIsReadAndLeavesItThere() {
    ByteBuf piece = Unpooled.wrappedBuffer(new byte[] {9, 1, 2, 9});
    piece.readerIndex(1).writerIndex(3);
    assertThat(paid.tryGrow(10)).isTrue();
    paid.append(piece);

    assertThat(copyOf(paid.bytes())).containsExactly(1, 2);
    assertThat(piece.readableBytes()).isEqualTo(2);
    piece.release();
  }

  @Test
  void paysForBothArraysWhileItGrows() {
    assertThat(paid.tryGrow(40_000)).isTrue();
    append(paid, bytes(40_000, 5));
    long before = budget.used();
    assertThat(paid.tryGrow(70_000)).as("room for both").isFalse();

    assertThat(budget.used()).isEqualTo(before);
    assertThat(copyOf(paid.bytes())).isEqualTo(bytes(40_000, 5));
    assertThat(paid.tryGrow(45_000)).isTrue();
    assertThat(copyOf(paid.bytes())).isEqualTo(bytes(40_000, 5));
  }

  @Test
  void growFromTheReservation() {
    assertThat(paid.tryReserve(90_000)).isTrue();
    assertThat(paid.tryReserve(90_000)).isFalse();
    assertThat(budget.used()).isEqualTo(90_000);
    assertThat(paid.tryGrow(30_000)).isTrue();
    assertThat(budget.used()).isEqualTo(90_000);
    append(paid, bytes(30_000, 3));
    int larger = 40_000;
    assertThat(paid.tryGrow(larger)).isTrue();
    assertThat(budget.used()).isEqualTo(90_000 - AccountedBuffer.allocatedSize(30_000));
    paid.releaseReserve();
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(larger));
    assertThat(copyOf(paid.bytes())).isEqualTo(bytes(30_000, 3));
    assertThat(paid.tryReserve(10_000)).isTrue();
  }

  @Test
  void refundAnArrayThatTheHeapRefused() {
    FixedBodyBudget large = new FixedBodyBudget(Long.MAX_VALUE);
    AccountedBuffer huge = new AccountedBuffer(large);
    assertThat(huge.tryGrow(10)).isTrue();
    assertThat(huge.tryReserve(1000)).isTrue();
    assertThatThrownBy(() -> huge.tryGrow(Integer.MAX_VALUE)).isInstanceOf(OutOfMemoryError.class);
    assertThat(large.used()).isEqualTo(1010);
    huge.release();
    assertThat(large.used()).isZero();
  }

  @Test
  void neverReuseAnAbandonedArray() {
    assertThat(paid.tryGrow(SIZE)).isTrue();
    append(paid, bytes(SIZE, 1));
    ByteBuffer read = paid.bytes();
    paid.leaveToGarbageCollector();
    assertThat(budget.used()).isZero();
    assertThat(paid.tryGrow(SIZE)).isTrue();
    append(paid, bytes(SIZE, 2));
    assertThat(copyOf(read)).isEqualTo(bytes(SIZE, 1));
  }

  @Test
  void reuseAReleasedArray() throws Exception {
    Callable<Void> growing =
        () -> {
          assertThat(paid.tryGrow(SIZE)).isTrue();
          byte[] array = paid.bytes().array();
          paid.release();
          assertThat(paid.tryGrow(SIZE)).isTrue();
          assertThat(paid.bytes().array()).isSameAs(array);
          return null;
        };
    // a new thread has an empty pool, with space for this array
    try (ExecutorService loop = Executors.newSingleThreadExecutor()) {
      loop.submit(growing).get();
    }
  }

  @Test
  void transferTheContentToTheNewOwner() {
    assertThat(paid.tryGrow(SIZE)).isTrue();
    append(paid, bytes(SIZE, 1));
    AccountedBuffer other = paid.transfer();
    assertThat(paid.length()).isZero();
    paid.release();
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(SIZE));
    assertThat(paid.tryGrow(SIZE)).isTrue();
    append(paid, bytes(SIZE, 2));

    ByteBuf handed = other.buffer();
    assertThat(handed).isEqualTo(Unpooled.wrappedBuffer(bytes(SIZE, 1)));
    assertThat(copyOf(other.bytes())).isEqualTo(bytes(SIZE, 1));
    handed.release();
    other.release();
    assertThat(budget.used()).isEqualTo(AccountedBuffer.allocatedSize(SIZE));
  }
}
