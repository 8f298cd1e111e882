package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteArrayPoolTest {

  @Test
  void wastesAtMostAQuarter() {
    ByteArrayPool arrays = new ByteArrayPool();
    Random random = new Random(1);
    for (int i = 0; i < 3000; i++) {
      int size = random.nextInt(1 << (4 + random.nextInt(20)));
      byte[] array = arrays.acquire(size);
      assertThat(array.length).isBetween(size, size + size / 4);
      assertThat(array.length).isEqualTo(ByteArrayPool.lengthFor(size));
      assertThat(ByteArrayPool.lengthFor(array.length)).isEqualTo(array.length);
    }
  }

  @Test
  void givesAnArrayAgain() {
    ByteArrayPool arrays = new ByteArrayPool();
    for (int size = 8193; size <= 4 << 20; size += size / 9) {
      byte[] array = arrays.acquire(size);
      arrays.release(array);
      assertThat(arrays.pooledBytes()).isEqualTo(array.length);
      assertThat(arrays.acquire(size)).isSameAs(array);
      assertThat(arrays.acquire(size)).isNotSameAs(array);
      assertThat(arrays.pooledBytes()).isZero();
    }
  }

  @Test
  void keepsNoMoreThanItsShare() {
    ByteArrayPool arrays = new ByteArrayPool();
    for (int i = 0; i < 20; i++) {
      arrays.release(new byte[4 << 20]);
      arrays.release(new byte[100]);
      arrays.release(new byte[8 << 20]);
      arrays.release(new byte[10_001]);
    }
    assertThat(arrays.pooledBytes()).isEqualTo(16 << 20);
  }

  @Test
  void trimWhatNoBodyNeeded() {
    ByteArrayPool arrays = new ByteArrayPool();
    byte[] one = arrays.acquire(100_000);
    byte[] other = arrays.acquire(100_000);
    arrays.release(one);
    arrays.release(other);
    arrays.trim();
    assertThat(arrays.pooledBytes()).as("both were needed").isEqualTo(2 * one.length);

    arrays.release(arrays.acquire(100_000));
    arrays.trim();
    assertThat(arrays.pooledBytes()).as("one was needed").isEqualTo(one.length);

    arrays.trim();
    assertThat(arrays.pooledBytes()).as("none was needed").isZero();
  }
}
