package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteArraysTest {

  @Test
  void wastesAtMostAQuarter() {
    ByteArrays arrays = new ByteArrays();
    Random random = new Random(1);
    for (int i = 0; i < 3000; i++) {
      int size = random.nextInt(1 << (4 + random.nextInt(20)));
      byte[] array = arrays.take(size);
      assertThat(array.length).isBetween(size, size + size / 4);
      assertThat(array.length).isEqualTo(ByteArrays.lengthFor(size));
      assertThat(ByteArrays.lengthFor(array.length)).isEqualTo(array.length);
    }
  }

  @Test
  void givesAnArrayAgain() {
    ByteArrays arrays = new ByteArrays();
    for (int size = 8193; size <= 4 << 20; size += size / 9) {
      byte[] array = arrays.take(size);
      arrays.give(array);
      assertThat(arrays.kept()).isEqualTo(array.length);
      assertThat(arrays.take(size)).isSameAs(array);
      assertThat(arrays.take(size)).isNotSameAs(array);
      assertThat(arrays.kept()).isZero();
    }
  }

  @Test
  void keepsNoMoreThanItsShare() {
    ByteArrays arrays = new ByteArrays();
    for (int i = 0; i < 20; i++) {
      arrays.give(new byte[4 << 20]);
      arrays.give(new byte[100]);
      arrays.give(new byte[8 << 20]);
      arrays.give(new byte[10_001]);
    }
    assertThat(arrays.kept()).isEqualTo(16 << 20);
  }
}
