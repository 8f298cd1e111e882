package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A page gets as many rows as fit its size in bytes. */
class PageSizeControllerTest {
  private static final long BYTES = 1 << 20;

  @Test
  void growsByStepsToTheBytesOfAPage() {
    PageSizeController size = new PageSizeController(BYTES, 10_000);
    int before = size.rows();
    size.recordPage(before, before * 200L);
    assertThat(size.rows()).isEqualTo(8 * before);
    size.recordPage(size.rows(), size.rows() * 200L);

    assertThat(size.rows()).isEqualTo((int) (BYTES / 200));
  }

  @Test
  void neverExceedTheLargestResultWindow() {
    PageSizeController size = new PageSizeController(BYTES, 700);
    for (int i = 0; i < 10; i++) {
      size.recordPage(size.rows(), 1);
    }
    assertThat(size.rows()).isEqualTo(700);
    assertThat(new PageSizeController(BYTES, 7).rows()).isEqualTo(7);
  }

  @Test
  void fallsAtOnceWithLargeRows() {
    PageSizeController size = new PageSizeController(BYTES, 10_000);
    size.recordPage(100, 100 * (BYTES / 2));
    assertThat(size.rows()).isEqualTo(2);
    size.recordPage(1, 10 * BYTES);
    assertThat(size.rows()).isOne();
  }

  @Test
  void rememberAnOversizedPageForAWhile() {
    PageSizeController size = new PageSizeController(BYTES, 10_000);
    size.reduceAfterRejection(80);
    assertThat(size.rows()).isEqualTo(10);
    size.recordPage(10, 10);
    assertThat(size.rows()).isEqualTo(10);
    for (int i = 0; i < 20; i++) {
      size.recordPage(size.rows(), size.rows());
    }
    assertThat(size.rows()).isGreaterThan(1000);
    size.reduceAfterRejection(1);
    assertThat(size.rows()).isOne();
  }
}
