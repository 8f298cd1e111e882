package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Pages get as many rows as take their bytes. */
class PageSizeTest {
  private static final long BYTES = 1 << 20;

  @Test
  void growsByStepsToTheBytesOfAPage() {
    PageSize size = new PageSize(BYTES, 10_000);
    int before = size.rows();
    size.saw(before, before * 200L);
    assertThat(size.rows()).isEqualTo(8 * before);
    size.saw(size.rows(), size.rows() * 200L);

    assertThat(size.rows()).isEqualTo((int) (BYTES / 200));
  }

  @Test
  void neverAsksForMoreThanASearchMay() {
    PageSize size = new PageSize(BYTES, 700);
    for (int i = 0; i < 10; i++) {
      size.saw(size.rows(), 1);
    }
    assertThat(size.rows()).isEqualTo(700);
    assertThat(new PageSize(BYTES, 7).rows()).isEqualTo(7);
  }

  @Test
  void fallsAtOnceWithLargeRows() {
    PageSize size = new PageSize(BYTES, 10_000);
    size.saw(100, 100 * (BYTES / 2));
    assertThat(size.rows()).isEqualTo(2);
    size.saw(1, 10 * BYTES);
    assertThat(size.rows()).isOne();
  }

  @Test
  void aPageThatWasTooMuchIsRememberedForAWhile() {
    PageSize size = new PageSize(BYTES, 10_000);
    size.tooMuch(80);
    assertThat(size.rows()).isEqualTo(10);
    size.saw(10, 10);
    assertThat(size.rows()).isEqualTo(10);
    for (int i = 0; i < 20; i++) {
      size.saw(size.rows(), size.rows());
    }
    assertThat(size.rows()).isGreaterThan(1000);
    size.tooMuch(1);
    assertThat(size.rows()).isOne();
  }
}
