package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NearMissTest {
  @Test
  void countsASwapOfNeighboursAsOneEdit() {
    assertThat(NearMiss.distance("lsiten", "listen")).isEqualTo(1);
    assertThat(NearMiss.distance("", "abc")).isEqualTo(3);
    assertThat(NearMiss.distance("same", "same")).isZero();
  }

  @Test
  void suggestsNothingForAFarWord() {
    assertThat(NearMiss.hint("banana", List.of("listen", "workers"))).isEmpty();
    assertThat(NearMiss.hint("MaxBody", List.of("listen", "max-body"))).contains("'max-body'");
  }
}
