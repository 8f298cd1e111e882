package dev.weir.rest.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;

/** The count is never below what OpenSearch's parser reads from the same bytes. */
class JsonStructureFuzz {
  private static final String[] SEEDS = {
    "{\"ids\":[\"1\",\"2\",\"3\"]}",
    "{\"docs\":[{\"_id\":\"1\",\"_source\":[\"a\\\"\",\"b\"]},{\"_id\":\"2\"}]}",
    "{/* \" */\"a\":[1,2,[[]]] } // \"[\n",
    "{\"query\":{\"bool\":{\"should\":[{\"term\":{\"a\":\"\\\\\"}},{\"term\":{\"a\":1e9}}]}}}"
  };
  private static final String ODD = "{}[],:\"\\/*\n\r\t 0a\u0000\u00e9'#";

  @FuzzTest
  void countsWhatIsRead(byte[] text) {
    check(text);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void countsWhatIsReadFromDamagedTexts(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 30_000; round++) {
      StringBuilder text = new StringBuilder(SEEDS[random.nextInt(SEEDS.length)]);
      for (int n = random.nextInt(4); n > 0; n--) {
        int at = random.nextInt(text.length());
        char odd = ODD.charAt(random.nextInt(ODD.length()));
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, odd);
          case 1 -> text.insert(at, odd);
          default -> text.deleteCharAt(at);
        }
      }
      check(text.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void check(byte[] text) {
    byte[] around = new byte[text.length + 16];
    Arrays.fill(around, (byte) '"');
    System.arraycopy(text, 0, around, 8, text.length);
    JsonStructure counted = JsonStructure.count(around, 8, 8 + text.length);
    long opened = countOpened(text);
    assertThat(counted.values())
        .as(() -> HexFormat.of().formatHex(text) + " " + new String(text, StandardCharsets.UTF_8))
        .isGreaterThanOrEqualTo(opened);
    assertThat(counted.lines()).isBetween(0L, (long) text.length);
  }

  /** Counts the objects and arrays that the parser opens, up to its first error. */
  private static long countOpened(byte[] text) {
    long opened = 0;
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY, DeprecationHandler.IGNORE_DEPRECATIONS, text)) {
      XContentParser.Token token = parser.nextToken();
      while (token != null) {
        if (token == XContentParser.Token.START_OBJECT
            || token == XContentParser.Token.START_ARRAY) {
          opened++;
        }
        token = parser.nextToken();
      }
    } catch (IOException | RuntimeException e) {
      // What was read before the error counts.
    }
    return opened;
  }
}
