package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SteadyCpuTest {
  private static SteadyCpu of(double... rounds) {
    SteadyCpu watch = new SteadyCpu();
    for (double round : rounds) {
      watch.add(round);
    }
    return watch;
  }

  @Test
  void takeFourRoundsAtLeast() {
    assertThat(of(100, 100, 100).isSteady()).isFalse();
    assertThat(of(100, 100, 100, 100).isSteady()).isTrue();
  }

  @Test
  void waitWhileItFalls() {
    assertThat(of(100, 90, 80, 70).isSteady()).isFalse();
    assertThat(of(100, 90, 80, 70, 71, 70).isSteady()).isFalse();
    assertThat(of(100, 90, 80, 70, 71, 70, 69).isSteady()).isTrue();
  }

  @Test
  void ignoreNoiseUpwards() {
    assertThat(of(100, 120, 99, 130).isSteady()).isTrue();
  }
}
