package dev.weir.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DrawnConditionTest {
  @Test
  void drawAsManyAsAsked() {
    assertThat(drawn(1)).isEqualTo(1000);
    assertThat(drawn(4)).isBetween(150L, 350L); // seven standard deviations to each side
  }

  @Test
  void drawTheSameAgain() {
    assertThat(drawn(3)).isEqualTo(drawn(3));
  }

  private static long drawn(int oneIn) {
    return IntStream.range(0, 1000)
        .filter(number -> DrawnCondition.isDrawn("class a.b.Scenario" + number + "IT", oneIn))
        .count();
  }
}
