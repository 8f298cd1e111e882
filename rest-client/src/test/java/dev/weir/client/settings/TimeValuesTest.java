package dev.weir.client.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimeValuesTest {
  @Test
  void readTimesOfAllUnits() {
    Map<String, Long> times =
        Map.of(
            "2000000nanos",
            2L,
            "2000micros",
            2L,
            "250ms",
            250L,
            " 2 s ",
            2000L,
            "2S",
            2000L,
            "3m",
            180_000L,
            "1h",
            3_600_000L,
            "2d",
            172_800_000L,
            "0s",
            0L);
    times.forEach(
        (text, millis) -> assertThat(TimeValues.toMillis(text)).as(text).isEqualTo(millis));
  }

  @Test
  void refuseOtherTexts() {
    for (String text : List.of("", "-1", "-1ms", "2", "1.5s", "2 weeks", "1M", "99999999999s")) {
      assertThat(TimeValues.toMillis(text)).as(text).isEqualTo(-1);
    }
  }
}
