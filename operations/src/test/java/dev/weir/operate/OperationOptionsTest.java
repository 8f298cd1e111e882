package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
