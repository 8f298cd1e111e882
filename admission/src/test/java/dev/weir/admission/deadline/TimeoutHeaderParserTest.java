package dev.weir.admission.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeoutHeaderParserTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "500 ms, PT0.5S",
    "007S, PT7S",
    "1m, PT1M",
    "2h, PT2H",
    "1d, PT24H",
    "3micros, PT0.000003S",
    "999999999999nanos, PT16M39.999999999S",
    "999999999999d, PT23999999999976H"
  })
  void parseOpenSearchTimeValues(String written, Duration length) {
    assertThat(TimeoutHeaderParser.parse("X-Weir-Timeout", written)).isEqualTo(length);
  }

  @ParameterizedTest
  @CsvSource({
    "500m, PT0.5S",
    "2S, PT2S",
    "1M, PT1M",
    "1H, PT1H",
    "7u, PT0.000007S",
    "99999999n, PT0.099999999S"
  })
  void parseGrpcTimeouts(String written, Duration length) {
    assertThat(TimeoutHeaderParser.parse("Grpc-Timeout", written)).isEqualTo(length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "500",
        "ms",
        "-1",
        "0",
        "0ms",
        "0.5s",
        "-5s",
        "5 weeks",
        "1000000000000ms",
        "1s1s",
        "5s; 6s",
        "\u0665s"
      })
  void rejectInvalidDurations(String written) {
    assertThatThrownBy(() -> TimeoutHeaderParser.parse("X-Weir-Timeout", written))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "got ["
                + written
                + "] in header X-Weir-Timeout (expected: how long the client waits, such as 500ms,"
                + " 2s or 1m)");
  }

  @Test
  void rejectInvalidGrpcTimeouts() {
    assertThatThrownBy(() -> TimeoutHeaderParser.parse("grpc-timeout", "500ms"))
        .hasMessageContaining("such as 500m for 500 milliseconds");
    assertThatThrownBy(() -> TimeoutHeaderParser.parse("grpc-timeout", "123456789n"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anyTextIsReadOrRefusedBriefly() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      int length = random.nextInt(200);
      for (int c = 0; c < length; c++) {
        text.append("0123456789mshd -.".charAt(random.nextInt(17)));
      }
      try {
        assertThat(TimeoutHeaderParser.parse("X-Weir-Timeout", text.toString())).isPositive();
      } catch (IllegalArgumentException refused) {
        assertThat(refused.getMessage()).hasSizeLessThan(250);
      }
    }
  }
}
