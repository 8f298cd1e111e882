package dev.weir.rest.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.bulk.BulkLineScanner.Action;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;

class BulkLineScannerTest {
  private static BulkLineScanner scannerOf(String text) {
    byte[] bytes = ("#" + text + "#").getBytes(UTF_8);
    BulkLineScanner line = new BulkLineScanner();
    line.reset(bytes, 1, bytes.length - 1);
    return line;
  }

  private static long count(String body) {
    byte[] bytes = ("\n" + body + "\n{}\n{}\n").getBytes(UTF_8);
    return BulkLineScanner.countItems(bytes, 1, 1 + body.getBytes(UTF_8).length);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "'{\"index\":{}}' | INDEX | INDEX",
        "' { \"create\" : {}}' | CREATE | CREATE",
        "'\t{\r\"update\":{}}' | UPDATE | UPDATE",
        "'{\"delete\":{}}' | DELETE | DELETE",
        "'{\"delete' | UNCOMMON | MALFORMED",
        "'{\"d\\u0065lete\":{}}' | UNCOMMON | DELETE",
        "'/* why */ {\"index\":{}}' | UNCOMMON | INDEX",
        "'/* why */' | UNCOMMON | BLANK",
        "'{\"Index\":{}}' | UNCOMMON | MALFORMED",
        "'{}' | UNCOMMON | MALFORMED",
        "'[\"index\"]' | UNCOMMON | MALFORMED",
        "' \t\r' | BLANK | BLANK",
        "'' | BLANK | BLANK",
      })
  void readsActionsInAnyNotation(String text, Action fast, Action any) {
    assertThat(scannerOf(text).readAction()).isEqualTo(fast);
    byte[] bytes = ("}" + text + "\n{\"index\":{}}").getBytes(UTF_8);
    int newline = 1 + text.getBytes(UTF_8).length;
    assertThat(new BulkLineScanner().readAnyAction(bytes, 1, newline)).isEqualTo(any);
  }

  @Test
  void staysOnTheLineUntilItIsSkipped() {
    BulkLineScanner line = scannerOf("{\"index\":{}}\r\n\n{\"delete\":{}}");
    assertThat(line.readAction()).isEqualTo(Action.INDEX);
    assertThat(line.tryConsume(':')).isTrue();
    assertThat(line.tryConsume('}')).isFalse();
    assertThat(line.skipLine()).isEqualTo(14);
    assertThat(line.readAction()).isEqualTo(Action.BLANK);
    assertThat(line.skipLine()).isEqualTo(15);
    assertThat(line.readAction()).isEqualTo(Action.DELETE);
    int before = line.position();
    assertThat(line.skipLine()).isEqualTo(-1);
    assertThat(line.position()).isEqualTo(before);
    assertThat(line.isAtEnd()).isFalse();
  }

  @Test
  void readsPlainStringsAlone() {
    assertThat(scannerOf("abc\"").readUpToQuote()).isEqualTo("abc");
    assertThat(scannerOf("\"").readUpToQuote()).isEmpty();
    for (String other : new String[] {"abc", "a\\n\"", "\u00e9\"", "a\t\"", "a\n\""}) {
      assertThat(scannerOf(other).readUpToQuote()).as(other).isNull();
    }
    BulkLineScanner line = scannerOf("logs-1\"");
    assertThat(line.tryConsumeUpToQuote("logs")).isFalse();
    assertThat(line.tryConsumeUpToQuote("logs-1")).isTrue();
    assertThat(line.isAtEnd()).isTrue();
    assertThat(scannerOf("logs-1").tryConsumeUpToQuote("logs-1")).isFalse();
  }

  @Test
  void findsNewlinesAtEachPosition() {
    for (int length = 0; length <= 20; length++) {
      byte[] bytes = "\n".repeat(30).getBytes(UTF_8);
      for (int i = 5; i < 5 + length; i++) {
        bytes[i] = (byte) (i % 2 == 0 ? '\n' + 1 : '\n' + 128);
      }
      assertThat(BulkLineScanner.findNewline(bytes, 5, 5 + length)).isEqualTo(-1);
      assertThat(BulkLineScanner.findNewline(bytes, 5, 30)).isEqualTo(5 + length);
    }
  }

  @Test
  void countsItemsWithAndWithoutSources() {
    assertThat(count("")).isZero();
    assertThat(count("\n \r\n")).isZero();
    assertThat(count("{\"delete\":{}}")).isOne();
    assertThat(count("{\"index\":{}}\n{\"delete\":{}}\n{\"delete\":{}}\n")).isEqualTo(2);
    assertThat(count("{\"index\":{}}\n\n{\"create\":{}}\n{}")).isEqualTo(2);
    assertThat(count("\n{ \"delete\":{}}\n\n{\"update\":{}}\n{}\n\n")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void countsAsOpenSearchParses(long seed) throws IOException {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      StringBuilder body = new StringBuilder();
      for (int i = random.nextInt(9); i >= 0; i--) {
        String end = random.nextBoolean() ? "\n" : "\r\n";
        body.append(random.nextInt(4) == 0 ? end : "");
        String action = new String[] {"index", "create", "update", "delete"}[random.nextInt(4)];
        body.append(random.nextBoolean() ? "{ \"" : "{\"").append(action).append("\":{\"_id\":\"");
        body.append(i).append("\"}}").append(end);
        if (!action.equals("delete")) {
          body.append("{\"doc\":{\"delete\":").append(i).append("}}").append(end);
        }
      }
      BulkRequest parsed =
          new BulkRequest()
              .add(new BytesArray(body.toString().getBytes(UTF_8)), "logs", XContentType.JSON);
      assertThat(count(body.toString()))
          .as("seed %d: %s", seed, body)
          .isEqualTo(parsed.numberOfActions());
    }
  }
}
