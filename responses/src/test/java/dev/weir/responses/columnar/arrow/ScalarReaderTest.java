package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ScalarReaderTest {
  private static ScalarReader reader(@Nullable String dateFormat) {
    Column column = new Columns().getOrCreate("c");
    if (dateFormat != null) {
      column.declare("date", dateFormat);
    }
    return new ScalarReader(new FormattedDateReader(column));
  }

  private static boolean read(ScalarReader reader, ArrowType type, String json) {
    byte[] bytes = ("[" + json + "]").getBytes(UTF_8);
    JsonCursor cursor = new JsonCursor();
    cursor.reset(bytes, 1, bytes.length - 1);
    int kind = cursor.skip();
    return reader.read(type, bytes, cursor.tokenStart(), cursor.tokenEnd(), kind);
  }

  private static @Nullable Long number(ArrowType type, String json) {
    ScalarReader reader = reader(null);
    return read(reader, type, json) ? (Long) reader.number() : null;
  }

  @ParameterizedTest
  @CsvSource({
    "INT8, 127, 127",
    "INT8, -128, -128",
    "INT8, 128,",
    "INT16, 32767, 32767",
    "INT16, -32769,",
    "INT32, 2147483647, 2147483647",
    "INT32, 2147483648,",
    "INT64, 9223372036854775807, 9223372036854775807",
    "INT64, -9223372036854775808, -9223372036854775808",
    "INT64, 9223372036854775808,",
    "INT64, 100000000000000000000000,",
    "INT64, 1.0, 1",
    "INT64, 1.50e1, 15",
    "INT64, 1e18, 1000000000000000000",
    "INT64, 1e19,",
    "INT64, 1.5,",
    "INT64, 0e999999999,",
    "INT64, '\"12\"', 12",
    "INT64, '\" 12 \"', 12",
    "INT64, '\"\"',",
    "INT64, '\"0x1\"',",
    "INT64, true,",
    "UINT64, 18446744073709551615, -1",
    "UINT64, 18446744073709551616,",
    "UINT64, -1,",
    "UINT64, '\"7\"', 7",
    "BOOL, true, 1",
    "BOOL, false, 0",
    "BOOL, '\"TRUE\"', 1",
    "BOOL, '\"\"', 0",
    "BOOL, '\"yes\"',",
    "BOOL, 1,",
    "NULL, 1,"
  })
  void readsWhatFitsItsType(ArrowType type, String json, @Nullable Long expected) {
    assertThat(number(type, json)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e2147483647",
        "-1e2147483647",
        "9e2147483640",
        "1e-2147483647",
        "123e99999999",
        "\"1e2147483647\""
      })
  void refusesHugeExponentsAtOnce(String json) {
    for (ArrowType type : new ArrowType[] {ArrowType.INT64, ArrowType.UINT64, ArrowType.INT8}) {
      boolean fits =
          Assertions.assertTimeoutPreemptively(
              Duration.ofSeconds(20), () -> read(reader(null), type, json));
      assertThat(fits).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1", "-0.0", "3", "3e38", "\"2.5\"", "\"-1e-3\"", "123456789012345678"})
  void readsDecimalsAsJavaDoes(String json) {
    double expected = Double.parseDouble(json.replace("\"", ""));
    ScalarReader reader = reader(null);
    assertThat(read(reader, ArrowType.FLOAT64, json)).isTrue();
    assertThat(Double.longBitsToDouble(reader.number())).isEqualTo(expected);
    assertThat(read(reader, ArrowType.FLOAT32, json)).isTrue();
    assertThat(Float.intBitsToFloat((int) reader.number())).isEqualTo((float) expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1e38, true, true",
    "1e39, false, true",
    "-123456789012345678901234567890123456789012, false, true",
    "1e308, false, true",
    "1e400, false, false",
    "'\"1e39\"', false, true",
    "'\"-1e400\"', false, false",
    "'\"NaN\"', false, false",
    "'\"Infinity\"', false, false",
    "'\"-Infinity\"', false, false",
    "NaN, false, false"
  })
  void refusesNumbersBeyondTheRangeOfTheType(String json, boolean fitsFloat, boolean fitsDouble) {
    assertThat(read(reader(null), ArrowType.FLOAT32, json)).isEqualTo(fitsFloat);
    assertThat(read(reader(null), ArrowType.FLOAT64, json)).isEqualTo(fitsDouble);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"1d\"", "\"2F\"", "\"\"", "\"x\"", "\"1.\"", "true", "{}", "\"1 2\""})
  void refusesTextThatIsNoDecimal(String json) {
    assertThat(read(reader(null), ArrowType.FLOAT64, json)).isFalse();
  }

  @Test
  void readsDatesInTheFormatOfTheMapping() {
    ScalarReader standard = reader("");
    assertThat(read(standard, ArrowType.MILLIS, "\"2026-11-21T23:03:00.123Z\"")).isTrue();
    assertThat(Instant.ofEpochMilli(standard.number())).hasToString("2026-11-21T23:03:00.123Z");
    assertThat(read(standard, ArrowType.MILLIS, "\"2026-11-21\"")).isTrue();
    assertThat(Instant.ofEpochMilli(standard.number())).hasToString("2026-11-21T00:00:00Z");
    assertThat(read(standard, ArrowType.MILLIS, "-1700000000000")).isTrue();
    assertThat(standard.number()).isEqualTo(-1_700_000_000_000L);
    assertThat(read(standard, ArrowType.MILLIS, "\"yesterday\"")).isFalse();

    ScalarReader german = reader("dd.MM.yyyy");
    assertThat(read(german, ArrowType.MILLIS, "\"03.02.2026\"")).isTrue();
    assertThat(Instant.ofEpochMilli(german.number())).hasToString("2026-02-03T00:00:00Z");
    assertThat(read(german, ArrowType.MILLIS, "\"32.02.2026\"")).isFalse();
    assertThat(read(reader(null), ArrowType.MILLIS, "\"2026-11-21T23:03:00Z\""))
        .as("the format is unknown")
        .isFalse();
    assertThat(read(reader("no such format ["), ArrowType.MILLIS, "\"3\"")).isFalse();
  }

  @Test
  void nanosecondsEndWhereALongDoes() {
    ScalarReader reader = reader("");
    assertThat(read(reader, ArrowType.NANOS, "\"2262-04-11T23:47:16.854775807Z\"")).isTrue();
    assertThat(reader.number()).isEqualTo(Long.MAX_VALUE);
    assertThat(read(reader, ArrowType.NANOS, "\"2262-04-12T00:00:00Z\"")).isFalse();
    assertThat(read(reader, ArrowType.MILLIS, "\"2262-04-12T00:00:00Z\"")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "'\"a\\\"b\"' | 'a\"b'",
        "'\"\"' | ''",
        "'\"\\u00e9\\ud83d\\ude00\"' | 'é\uD83D\uDE00'",
        "'12.50' | '12.50'",
        "'true' | 'true'"
      })
  void readsTextWithoutEscapes(String json, String expected) {
    ScalarReader reader = reader(null);
    assertThat(read(reader, ArrowType.TEXT, json)).isTrue();
    assertThat(new String(reader.text(), reader.textOffset(), reader.textLength(), UTF_8))
        .isEqualTo(expected);
  }

  @Test
  void objectsAreNoText() {
    assertThat(read(reader(null), ArrowType.TEXT, "{\"a\":1}")).isFalse();
    assertThat(read(reader(null), ArrowType.DICTIONARY_TEXT, "[1]")).isFalse();
    ScalarReader json = reader(null);
    assertThat(read(json, ArrowType.JSON, "{\"a\":1}")).isTrue();
    assertThat(new String(json.text(), json.textOffset(), json.textLength(), UTF_8))
        .isEqualTo("{\"a\":1}");
  }
}
