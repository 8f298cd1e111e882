package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DisplayFormatTest {
  @Test
  void truncateOnlyWhatIsLonger() {
    assertThat(DisplayFormat.truncate("abcd", 3)).isEqualTo("abc");
    assertThat(DisplayFormat.truncate("abc", 3)).isEqualTo("abc");
    assertThat(DisplayFormat.truncate("", 3)).isEmpty();
  }
}
