package dev.weir.responses.columnar.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainValueParserTest {
  private final Random random = new Random(5);

  private static double decimal(String text) {
    byte[] bytes = ("x" + text + "1").getBytes(StandardCharsets.UTF_8);
    return PlainValueParser.parseDecimal(bytes, 1, bytes.length - 1);
  }

  private static long instant(String text, boolean nanos) {
    byte[] bytes = ("\"" + text + "\"").getBytes(StandardCharsets.UTF_8);
    return PlainValueParser.parseInstant(bytes, 1, bytes.length - 1, nanos);
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

  /** A few bytes are read at once if the array has eight more, otherwise one by one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "-7",
        "123456",
        "1234567",
        "12345678",
        "123456789",
        "-1234567",
        "1.5",
        "0.25",
        "17.123",
        "12345.67",
        "123456.78",
        "0.000001",
        "1234567.8",
        "00012.50"
      })
  void readsNumbersAtAnArraysEnd(String text) {
    for (String behind : new String[] {"", ",", ",\"a\":1", ",12345678.5"}) {
      byte[] bytes = (text + behind).getBytes(StandardCharsets.UTF_8);
      assertThat(PlainValueParser.parseDecimal(bytes, 0, text.length()))
          .isEqualTo(Double.parseDouble(text));
      if (text.indexOf('.') < 0) {
        assertThat(PlainValueParser.parseLong(bytes, 0, text.length()))
            .isEqualTo(Long.parseLong(text));
      }
    }
  }

  @Test
  void readsWholeNumbersAsJavaDoes() {
    for (int i = 0; i < 200_000; i++) {
      long number = random.nextLong(-99_999_999_999_999_999L, 100_000_000_000_000_000L);
      number >>= random.nextInt(60);
      byte[] bytes = (number + ",12").getBytes(StandardCharsets.UTF_8);
      assertThat(PlainValueParser.parseLong(bytes, 0, bytes.length - 3)).isEqualTo(number);
    }
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
      assertThat(millis).as(text).isEqualTo(same.toEpochMilli());
      assertThat(instant(text, true))
          .as(text)
          .isEqualTo(same.getEpochSecond() * 1_000_000_000 + same.getNano());
    }
  }

  @Test
  void looksAtEachByteOfADateWithMilliseconds() {
    String date = "2026-11-21T23:03:00.123Z";
    for (int i = 0; i < date.length(); i++) {
      byte[] bytes = date.getBytes(StandardCharsets.UTF_8);
      boolean isDigit = Character.isDigit(date.charAt(i));
      for (int other = 0; other < 256; other++) {
        bytes[i] = (byte) other;
        if (other != date.charAt(i) && !(isDigit && other >= '0' && other <= '9')) {
          assertThat(PlainValueParser.parseInstant(bytes, 0, bytes.length, false))
              .as("%s at %s", other, i)
              .isEqualTo(PlainValueParser.UNPARSEABLE);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-21T23:03:00.12Z", "2026-11-21T23:03:00.123Z", "2026-11-21T23:03:00.1234Z",
        "2024-02-29T00:00:00.000Z", "2000-02-29T23:59:59.999Z", "0000-02-29T00:00:00.001Z",
        "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"
      })
  void readsDatesOfAboutThatLength(String date) {
    assertThat(instant(date, false)).isEqualTo(Instant.parse(date).toEpochMilli());
  }

  @Test
  void readsFarInstants() {
    for (String text :
        List.of("0000-01-01T00:00:00Z", "0000-02-29T00:00:00Z", "9999-12-31T23:59:59.999Z")) {
      assertThat(instant(text, false)).isEqualTo(Instant.parse(text).toEpochMilli());
      assertThat(instant(text, true)).isEqualTo(PlainValueParser.UNPARSEABLE);
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
        "2026-00-21T23:03:00.000Z",
        "2026-13-21T23:03:00.000Z",
        "2026-11-00T23:03:00.000Z",
        "2026-11-31T23:03:00.000Z",
        "2100-02-29T23:03:00.000Z",
        "2026-11-21T24:00:00.000Z",
        "2026-11-21T23:60:00.000Z",
        "2026-11-21T23:03:60.000Z",
        "2026-02-30T23:03:00Z",
        "2026-11-21T24:03:00Z",
        "2026-11-21T23:60:00Z",
        "2026-11-21T23:03:60Z",
        "2O26-11-21T23:03:00Z",
        "2026-11-21T23:03:00.12x4Z",
        "2100-02-29T23:03:00Z",
        "2026-11-21T23:03:00.1234567890Z"
      })
  void leavesOtherDates(String text) {
    assertThat(instant(text, false)).isEqualTo(PlainValueParser.UNPARSEABLE);
    assertThat(instant(text, true)).isEqualTo(PlainValueParser.UNPARSEABLE);
  }
}
