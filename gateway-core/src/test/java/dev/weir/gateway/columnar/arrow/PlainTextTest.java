package dev.weir.gateway.columnar.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {
  private final Random random = new Random(5);

  private static double decimal(String text) {
    byte[] bytes = ("x" + text + "1").getBytes(StandardCharsets.UTF_8);
    return PlainText.decimal(bytes, 1, bytes.length - 1);
  }

  private static long instant(String text, boolean nanos) {
    byte[] bytes = ("\"" + text + "\"").getBytes(StandardCharsets.UTF_8);
    return PlainText.instant(bytes, 1, bytes.length - 1, nanos);
  }

  @Test
  void readsDecimalsAsJavaDoes() {
    for (int i = 0; i < 200_000; i++) {
      long digits = random.nextLong(1_000_000_000_000_000L) >> random.nextInt(50);
      String text = Long.toString(digits);
      int point = random.nextInt(text.length());
      if (point > 0) {
        text = text.substring(0, point) + "." + text.substring(point);
      }
      text = random.nextBoolean() ? "-" + text : text;
      assertThat(decimal(text)).as(text).isEqualTo(Double.parseDouble(text));
    }
    assertThat(1 / decimal("-0")).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(decimal("007.50")).isEqualTo(7.5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", ".", ".5", "5.", "1e5", "1.2.3", "NaN", "1234567890123456", "1f"})
  void leavesOtherDecimals(String text) {
    assertThat(decimal(text)).isNaN();
  }

  @Test
  void readsInstantsAsJavaDoes() {
    for (int i = 0; i < 200_000; i++) {
      long second = random.nextLong(14_000_000_000L) - 7_000_000_000L;
      int nano = random.nextInt(1_000_000_000);
      LocalDateTime time = LocalDateTime.ofEpochSecond(second, nano, ZoneOffset.UTC);
      int places = random.nextInt(10);
      String text = time.withNano(0).toString();
      text = text.length() == 16 ? text + ":00" : text;
      String fraction = String.format(Locale.ROOT, "%09d", nano).substring(0, places);
      text += (places == 0 ? "" : "." + fraction) + "Z";
      Instant same = Instant.parse(text);
      long millis = instant(text, false);
      if (time.getDayOfMonth() <= 28) {
        assertThat(millis).as(text).isEqualTo(same.toEpochMilli());
        assertThat(instant(text, true))
            .as(text)
            .isEqualTo(same.getEpochSecond() * 1_000_000_000 + same.getNano());
      } else {
        assertThat(millis).isEqualTo(PlainText.UNKNOWN);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-11-21",
        "2026-11-21T23:03:00",
        "2026-11-21T23:03:00.Z",
        "2026-11-21T23:03:00+01:00",
        "2026-13-21T23:03:00Z",
        "2026-02-30T23:03:00Z",
        "2026-11-21T24:03:00Z",
        "2026-11-21T23:60:00Z",
        "2026-11-21T23:03:60Z",
        "2O26-11-21T23:03:00Z",
        "2026-11-21T23:03:00.12x4Z",
        "0026-11-21T23:03:00Z",
        "2026-11-21T23:03:00.1234567890Z"
      })
  void leavesOtherDates(String text) {
    assertThat(instant(text, false)).isEqualTo(PlainText.UNKNOWN);
    assertThat(instant(text, true)).isEqualTo(PlainText.UNKNOWN);
  }
}
