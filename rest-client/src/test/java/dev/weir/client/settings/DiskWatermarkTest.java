package dev.weir.client.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DiskWatermarkTest {
  private static boolean isExceeded(String watermark, long totalBytes, long availableBytes) {
    return DiskWatermark.parse(watermark).isExceeded(totalBytes, availableBytes);
  }

  @Test
  void compareTheUsedShare() {
    assertThat(isExceeded("85%", 100, 10)).isTrue();
    assertThat(isExceeded("85%", 100, 15)).isFalse();
    assertThat(isExceeded("85%", 100, 20)).isFalse();
    assertThat(isExceeded("99.5%", 1000, 4)).isTrue();
    assertThat(isExceeded("0.85", 100, 10)).isTrue();
    assertThat(isExceeded(".85", 100, 10)).isTrue();
    assertThat(isExceeded("0.85", 100, 20)).isFalse();
    assertThat(isExceeded("1.0", 100, 0)).isFalse();
  }

  @Test
  void compareFreeBytes() {
    assertThat(isExceeded("2gb", 1L << 40, 1L << 30)).isTrue();
    assertThat(isExceeded("2gb", 1L << 40, 2L << 30)).isFalse();
    assertThat(isExceeded("2GB", 1L << 40, 3L << 30)).isFalse();
    assertThat(isExceeded("0b", 100, 0)).isFalse();
  }

  @Test
  void passEveryDiskWithoutAWatermark() {
    for (String text : new String[] {"", "x", "x%", "85 %%", "-1"}) {
      assertThat(isExceeded(text, 100, 0)).isFalse();
    }
    assertThat(isExceeded("85%", 0, 0)).isFalse();
  }

  @Test
  void readSizes() {
    assertThat(ByteSizes.parse("40mb")).isEqualTo(40L << 20);
    assertThat(ByteSizes.parse("1.5k")).isEqualTo(1536);
    assertThat(ByteSizes.parse("7")).isEqualTo(7);
    assertThat(ByteSizes.parse(" 2PB ")).isEqualTo(2L << 50);
    assertThat(ByteSizes.parse("20 gb")).isEqualTo(20L << 30);
    assertThat(ByteSizes.parse("-1")).isEqualTo(-1);
    assertThat(ByteSizes.parse("mb")).isEqualTo(-1);
  }
}
