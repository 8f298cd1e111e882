package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationOptionsTest {
  private static OperationOptions options(Duration ramp) {
    OperationOptions usual = OperationOptions.DEFAULTS;
    return new OperationOptions(
        "", usual.drainTimeout(), usual.returnTimeout(), usual.greenTimeout(), ramp, 1.3, true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT1S", "PT24H"})
  void takeRampsThatGatewaysTake(String ramp) {
    assertThat(options(Duration.parse(ramp)).checked().ramp()).isEqualTo(Duration.parse(ramp));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.5S", "PT-1S", "PT24H1S"})
  void refuseOtherRampsBeforeANodeIsDrained(String ramp) {
    assertThatThrownBy(() -> options(Duration.parse(ramp)).checked())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected: 0s, or 1s to 24h");
  }

  private static OperationOptions options(Duration wait, double ratio) {
    return new OperationOptions("", wait, wait, wait, Duration.ZERO, ratio, true);
  }

  @ParameterizedTest
  @CsvSource({"PT-1S, 1.3", "PT9999999H, 1.3", "PT1M, NaN", "PT1M, -1", "PT1M, Infinity"})
  void refuseWaitsAndRatiosThatMakeNoSense(String wait, double ratio) {
    assertThatThrownBy(() -> options(Duration.parse(wait), ratio).checked())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected: 0");
  }

  @ParameterizedTest
  @CsvSource({"PT0S, 0", "PT720H, 1000"})
  void takeTheLeastAndTheMost(String wait, double ratio) {
    OperationOptions options = options(Duration.parse(wait), ratio);
    assertThat(options.checked()).isEqualTo(options);
  }

  @ParameterizedTest
  @CsvSource({
    "'a,a', zone, 0, got node a twice",
    "'a,b', zone, -1, expected: 1 or more",
    "'a,b', '', 2, without --by-zone"
  })
  void refuseRequestsThatCannotBeMeant(String nodes, String zone, int away, String problem) {
    assertThatThrownBy(() ->
            new OperationRequest(
                OperationKind.ROLLING_RESTART,
                List.of(nodes.split(",", -1)),
                zone,
                away,
                OperationOptions.DEFAULTS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void awaitCenturiesThatAnOlderJournalMayHave() throws Exception {
    Iterator<Boolean> holds = List.of(false, true).iterator();
    assertThat(Poller.await(Duration.ofHours(9_999_999), holds::next)).isTrue();
    assertThat(holds.hasNext()).isFalse();
  }

  @Test
  void keepAllElseWithAnotherCommand() {
    assertThat(options(Duration.ofSeconds(5)).withCommand("reboot"))
        .isEqualTo(
            new OperationOptions(
                "reboot",
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                Duration.ofHours(4),
                Duration.ofSeconds(5),
                1.3,
                true));
  }
}
