package dev.weir.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonBufferTest {
  private static final long SEED = 17;

  private static String quote(String text) {
    JsonBuffer json = new JsonBuffer(1);
    json.writeQuoted(text);
    return json.toString();
  }

  @Test
  void quotesAsTheTextWriterDoes() {
    Random random = new Random(SEED);
    String alphabet = "aZ ~\u007f\"\\/\n\r\t\b\f\u0000\u001f\u0080\u00e9\u07ff\u0800\uffff";
    for (int round = 0; round < 5_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(12); i > 0; i--) {
        if (random.nextInt(8) == 0) {
          text.appendCodePoint(0x1f600 + random.nextInt(64));
        } else {
          text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
      }
      StringBuilder expected = new StringBuilder();
      JsonStringEscaper.appendQuoted(expected, text);
      assertThat(quote(text.toString()))
          .as("seed %d, round %d", SEED, round)
          .isEqualTo(expected.toString());
    }
  }

  @Test
  void replacesUnpairedSurrogates() {
    assertThat(quote("a\uD83D")).isEqualTo("\"a?\"");
    assertThat(quote("\uDE00b")).isEqualTo("\"?b\"");
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        9,
        10,
        99,
        100,
        -1,
        -10,
        999_999_999_999_999_999L,
        1_000_000_000_000_000_000L,
        Long.MAX_VALUE,
        Long.MIN_VALUE
      })
  void writesIntegersAsJavaDoes(long number) {
    JsonBuffer json = new JsonBuffer(0);
    json.writeNumber(number);
    assertThat(json).hasToString(Long.toString(number));
  }

  @Test
  void writesIntegersOfAnyLength() {
    JsonBuffer json = new JsonBuffer(0);
    for (int bits = 0; bits < Long.SIZE - 1; bits++) {
      assertWritten(json, 1L << bits);
      assertWritten(json, (1L << bits) - 1);
    }
    for (long power = 1; power <= Long.MAX_VALUE / 10; power *= 10) {
      assertWritten(json, power - 1);
      assertWritten(json, power);
      assertWritten(json, power * 10 - 1);
    }
  }

  private static void assertWritten(JsonBuffer json, long number) {
    json.clear();
    json.writeNumber(number);
    assertThat(json).hasToString(Long.toString(number));
  }

  @Test
  void quotesNumbersThatJsonDoesNotHave() {
    JsonBuffer json = new JsonBuffer(0);
    for (double number : new double[] {1.5, -0.0, 1e300, Double.NaN, Double.NEGATIVE_INFINITY}) {
      json.writeNumber(number);
      json.write(' ');
    }
    assertThat(json).hasToString("1.5 -0.0 1.0E300 \"NaN\" \"-Infinity\" ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "plain", "größe \uD83D\uDE00", "\"", "\\", "\n\t\r\b\f", "\u0001 \u001f/"})
  void unquoteQuotedText(String text) {
    byte[] quoted = quote(text).getBytes(UTF_8);
    JsonBuffer plain = new JsonBuffer(0);
    plain.writeUnquoted(quoted, 0, quoted.length);
    assertThat(plain).hasToString(text);
  }

  @Test
  void unquotesUnicodeEscapes() {
    byte[] quoted = "\"\\u0041\\uD83d\\uDe00\\/\\ud83d \\u00e9\"".getBytes(UTF_8);
    JsonBuffer plain = new JsonBuffer(0);
    plain.writeUnquoted(quoted, 0, quoted.length);
    assertThat(plain).hasToString("A\uD83D\uDE00/? é");
  }

  @Test
  void saysWhichTextNeedsNoEscape() {
    for (char c = 0; c < 0x100; c++) {
      String text = "a" + c;
      boolean plain = JsonBuffer.isPlain(text);
      byte[] bytes = text.getBytes(UTF_8);
      assertThat(JsonBuffer.isPlain(bytes, 0, bytes.length)).isEqualTo(plain);
      assertThat(plain).isEqualTo(quote(text).equals('"' + text + '"') && c >= ' ' && c <= '~');
    }
  }

  @Test
  void keepsWrittenBytesWhileItGrows() throws IOException {
    JsonBuffer json = new JsonBuffer(2);
    json.writeAscii("ab");
    byte[] before = json.bytes();
    json.writeQuoted(JsonBuffer.toAscii("cd"), 0, 2);
    assertThat(new String(before, 0, 2, UTF_8)).isEqualTo("ab");
    JsonBuffer other = new JsonBuffer(0);
    other.write(json);
    other.truncate(3);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    other.drainTo(out);
    assertThat(out).hasToString("ab\"");
    assertThat(other.length()).isZero();
    json.clear();
    assertThat(json).hasToString("");
  }
}
