package dev.weir.responses.columnar;

import static dev.weir.responses.columnar.ColumnarFixture.cluster;
import static dev.weir.responses.columnar.ColumnarFixture.hit;
import static dev.weir.responses.columnar.ColumnarFixture.hits;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.search.SearchHit;

final class CsvRowWriterTest {
  private static String csv(SearchHit... page) throws IOException {
    HitRows rows =
        new HitRows(
            hits(page),
            new MappedFieldsCache(cluster(Map.of())),
            RequestedColumns.NONE,
            List.of("docs"));
    return CsvRowWriter.write(rows, new BytesStreamOutput()).utf8ToString();
  }

  /** The cell of a document's only field. */
  private static String cell(String json) throws IOException {
    String whole = csv(hit("docs", "1", "{\"v\":" + json + "}"));
    String head = "_index,_id,_score,v\r\ndocs,1,,";
    assertThat(whole).startsWith(head).endsWith("\r\n");
    return whole.substring(head.length(), whole.length() - 2);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "'\"plain\"' | 'plain'",
        "'\"\"' | '\"\"'",
        "'\" left\"' | '\" left\"'",
        "'\"right \"' | '\"right \"'",
        "'\"in side\"' | 'in side'",
        "'\"a,b\"' | '\"a,b\"'",
        "'\"say \\\"hi\\\"\"' | '\"say \"\"hi\"\"\"'",
        "'\"\\\"\"' | '\"\"\"\"'",
        "'\"größe \uD83D\uDE00\"' | 'größe \uD83D\uDE00'",
        "'\"\\u00e9\\ud83d\\ude00\"' | 'é\uD83D\uDE00'",
        "'\"back\\\\slash\\/\"' | 'back\\slash/'",
        "'12' | '12'",
        "'9223372036854775808' | '9223372036854775808'",
        "'-0.5e-7' | '-0.5e-7'",
        "'true' | 'true'",
        "'[1,null,\"a\"]' | '\"[1,null,\"\"a\"\"]\"'",
        "'[]' | '[]'",
        "'[7]' | '[7]'",
      })
  void writesValuesByRfc4180(String json, String expected) throws IOException {
    assertThat(cell(json)).isEqualTo(expected);
  }

  @Test
  void quotesLineEnds() throws IOException {
    assertThat(cell("\"a\\nb\"")).isEqualTo("\"a\nb\"");
    assertThat(cell("\"a\\r\\nb\"")).isEqualTo("\"a\r\nb\"");
  }

  @Test
  void findsSpecialBytesAtEachPosition() throws IOException {
    for (int length = 1; length <= 20; length++) {
      for (int at = 0; at < length; at++) {
        String text = "x".repeat(at) + "," + "y".repeat(length - at - 1);
        assertThat(cell('"' + text + '"')).isEqualTo('"' + text + '"');
      }
      assertThat(cell('"' + "x".repeat(length) + '"')).isEqualTo("x".repeat(length));
    }
  }

  @Test
  void leavesMissingValuesEmpty() throws IOException {
    assertThat(
            csv(
                hit("docs", "1", "{\"a\":null,\"b\":\"\"}"),
                hit("docs", "2", "{\"b\":2}"),
                hit("docs", "3", "")))
        .isEqualTo("_index,_id,_score,b\r\ndocs,1,,\"\"\r\ndocs,2,,2\r\ndocs,3,,\r\n");
  }

  @Test
  void writesAllColumnsOfLaterRowsIntoTheHeader() throws IOException {
    assertThat(
            csv(
                hit("docs", "1", "{\"a\":1}"),
                hit("docs", "2", "{\"b\":{\"c\":2}}"),
                hit("docs", "3", "{\"x,y\":3}")))
        .isEqualTo(
            "_index,_id,_score,a,b.c,\"x,y\"\r\ndocs,1,,1,,\r\ndocs,2,,,2,\r\ndocs,3,,,,3\r\n");
  }

  @Test
  void writesOnlyTheHeaderWithoutRows() throws IOException {
    assertThat(csv()).isEqualTo("_index,_id,_score\r\n");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void textsComeBackFromTheirCells(long seed) throws IOException {
    Random random = new Random(seed);
    String alphabet = "ab ,\"\r\n\t;é\u2028";
    for (int round = 0; round < 300; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(24); i > 0; i--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String json = '"' + text.toString().replace("\"", "\\\"").replace("\r", "\\r") + '"';
      String cell = cell(json.replace("\n", "\\n").replace("\t", "\\t"));
      assertThat(read(cell)).as("seed %d, round %d", seed, round).containsExactly(text.toString());
    }
  }

  /** The values of one line, as a strict reader of CSV reads it. */
  private static List<String> read(String line) {
    List<String> values = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        if (quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
          value.append('"');
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (c == ',' && !quoted) {
        values.add(value.toString());
        value.setLength(0);
      } else {
        value.append(c);
      }
    }
    assertThat(quoted).isFalse();
    values.add(value.toString());
    return values;
  }
}
