package dev.weir.gateway.reduce.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StudentTTest {
  /** Of printed tables. */
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
    "0.999, 60, 3.460"
  })
  void isThatOfTheTables(double confidence, double degrees, double quantile) {
    assertThat(new StudentT(confidence).quantile(degrees))
        .isCloseTo(quantile, within(quantile * 0.0005));
  }

  @ParameterizedTest
  @CsvSource({"0.95, 1.2", "0.95, 2.75", "0.9, 17.31", "0.95, 1e9", "0.95, 0.3"})
  void isNeverTooSmallBetweenThem(double confidence, double degrees) {
    StudentT quantiles = new StudentT(confidence);
    assertThat(quantiles.quantile(degrees))
        .isGreaterThanOrEqualTo(quantiles.quantile(Math.ceil(degrees)))
        .isLessThanOrEqualTo(quantiles.quantile(Math.floor(degrees)));
  }
}
