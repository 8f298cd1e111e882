package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SpellingSuggesterTest {
  @Test
  void countsASwapOfNeighboursAsOneEdit() {
    assertThat(SpellingSuggester.distance("lsiten", "listen")).isEqualTo(1);
    assertThat(SpellingSuggester.distance("", "abc")).isEqualTo(3);
    assertThat(SpellingSuggester.distance("same", "same")).isZero();
  }

  @Test
  void suggestsNothingForAFarWord() {
    assertThat(SpellingSuggester.suggest("banana", List.of("listen", "workers"))).isEmpty();
    assertThat(SpellingSuggester.suggest("MaxBody", List.of("listen", "max-body")))
        .contains("'max-body'");
  }
}
