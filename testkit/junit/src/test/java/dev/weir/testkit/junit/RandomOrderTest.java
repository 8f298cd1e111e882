package dev.weir.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RandomOrderTest {
  private static final List<String> NAMES =
      IntStream.range(0, 50).mapToObj(n -> "dev.weir.Test" + n).toList();

  @Test
  void repeatTheOrderForTheSameSeed() {
    assertThat(TestSeed.random(RandomOrderTest.class).nextLong())
        .isEqualTo(TestSeed.random(RandomOrderTest.class).nextLong());
    assertThat(TestSeed.mix("a")).isEqualTo(TestSeed.mix("a"));
  }

  @Test
  void namesThatDifferGetNumbersThatDiffer() {
    assertThat(NAMES.stream().map(TestSeed::mix).distinct()).hasSize(NAMES.size());
    assertThat(TestSeed.random(RandomOrderTest.class).nextLong())
        .isNotEqualTo(TestSeed.random(SkipReasonTest.class).nextLong());
  }

  @Test
  void namesInARowAreNotInOrder() {
    List<String> ordered = NAMES.stream().sorted(Comparator.comparingLong(TestSeed::mix)).toList();
    assertThat(ordered).containsExactlyInAnyOrderElementsOf(NAMES).isNotEqualTo(NAMES);
  }
}
