package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WarmUpTest {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final WarmUp warmUp =
      new WarmUp(new PrintStream(output, true, StandardCharsets.UTF_8), 10, 60);

  @Test
  void takeTurnsUntilAllAreWarm() throws IOException {
    List<Integer> turns = new ArrayList<>();
    double[] slower = {100, 50, 50, 50, 50};
    warmUp.run(
        "w",
        List.of("a", "b"),
        (i, _) -> {
          turns.add(i);
          return i == 0 ? 100 : slower[(turns.size() - 1) / 2];
        });
    assertThat(turns).containsExactly(0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
    assertThat(output.toString(StandardCharsets.UTF_8)).doesNotContain("NOT WARM");
  }

  @Test
  void endAfterTheMostLoadAndSaySo() throws IOException {
    double[] micros = {1000};
    int[] rounds = {0};
    warmUp.run(
        "w",
        List.of("a"),
        (_, _) -> {
          rounds[0]++;
          micros[0] *= 0.9;
          return micros[0];
        });
    assertThat(rounds[0]).isEqualTo(6);
    assertThat(output.toString(StandardCharsets.UTF_8))
        .contains("NOT WARM: w, a: its CPU time a request still fell by 27 % after 60 s of load");
  }
}
