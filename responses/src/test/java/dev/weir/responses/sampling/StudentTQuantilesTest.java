package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StudentTQuantilesTest {
  /** From published tables. */
  @ParameterizedTest
  @CsvSource({
    "0.95, 1, 12.706",
    "0.95, 2, 4.303",
    "0.95, 3, 3.182",
    "0.95, 5, 2.571",
    "0.95, 10, 2.228",
    "0.95, 30, 2.042",
    "0.95, 100, 1.984",
    "0.5, 1, 1.000",
    "0.5, 4, 0.741",
    "0.9, 2, 2.920",
    "0.99, 2, 9.925",
    "0.99, 20, 2.845",
    "0.999, 1, 636.619",
    "0.999, 2, 31.599",
    "0.999, 60, 3.460",
    "0.95, 200, 1.972",
    "0.999, 200, 3.340"
  })
  void matchPublishedTables(double confidence, double degrees, double quantile) {
    assertThat(StudentTQuantiles.forConfidence(confidence).quantile(degrees))
        .isCloseTo(quantile, within(quantile * 0.0005));
  }

  @ParameterizedTest
  @CsvSource({"0.95, 1.2", "0.95, 2.75", "0.9, 17.31", "0.95, 1e9", "0.95, 0.3"})
  void neverUnderestimateBetweenWholeDegrees(double confidence, double degrees) {
    StudentTQuantiles quantiles = StudentTQuantiles.forConfidence(confidence);
    assertThat(quantiles.quantile(degrees))
        .isGreaterThanOrEqualTo(quantiles.quantile(Math.ceil(degrees)))
        .isLessThanOrEqualTo(quantiles.quantile(Math.floor(degrees)));
  }

  /** {@code tan(pi c / 2)} for one degree of freedom, {@code c sqrt(2 / (1 - c^2))} for two. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.6, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999})
  void matchTheFormulas(double confidence) {
    double one = Math.tan(Math.PI / 2 * confidence);
    double two = confidence * Math.sqrt(2 / (1 - confidence * confidence));
    assertThat(StudentTQuantiles.forConfidence(confidence).quantile(1))
        .isCloseTo(one, within(one * 1e-6));
    assertThat(StudentTQuantiles.forConfidence(confidence).quantile(2))
        .isCloseTo(two, within(two * 1e-6));
  }

  /** Tolerates rounding in the computation. */
  @Test
  void lookUpWholeDegreesExactly() {
    StudentTQuantiles quantiles = StudentTQuantiles.forConfidence(0.95);
    assertThat(quantiles.quantile(Math.nextDown(49.0))).isEqualTo(quantiles.quantile(49));
    assertThat(quantiles.quantile(Double.NaN)).isEqualTo(quantiles.quantile(1));
    assertThat(quantiles.quantile(Double.POSITIVE_INFINITY)).isEqualTo(quantiles.quantile(200));
  }

  @Test
  void decreaseWithDegreesAndIncreaseWithConfidence() {
    for (int tenths = 11; tenths <= 2_000; tenths++) {
      double degrees = tenths / 10.0;
      assertThat(StudentTQuantiles.forConfidence(0.95).quantile(degrees))
          .isLessThan(StudentTQuantiles.forConfidence(0.95).quantile(degrees - 0.1))
          .isLessThan(StudentTQuantiles.forConfidence(0.96).quantile(degrees));
    }
  }

  @Test
  void shareOneTablePerConfidenceLevel() {
    assertThat(StudentTQuantiles.forConfidence(0.95))
        .isSameAs(StudentTQuantiles.forConfidence(0.95));
    for (int one = 0; one < 1_000; one++) {
      double confidence = 0.5 + one * 0.000499;
      double two = confidence * Math.sqrt(2 / (1 - confidence * confidence));
      assertThat(StudentTQuantiles.forConfidence(confidence).quantile(2))
          .isCloseTo(two, within(two * 1e-6));
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, -0.5, Double.NaN})
  void rejectInvalidConfidenceLevels(double confidence) {
    assertThatThrownBy(() -> StudentTQuantiles.forConfidence(confidence))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
