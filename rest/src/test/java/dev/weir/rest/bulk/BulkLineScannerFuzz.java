package dev.weir.rest.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.rest.bulk.BulkLineScanner.Action;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParseException;
import org.opensearch.core.xcontent.XContentParser;

/** The scanner finds the action that OpenSearch finds, and stays within the bytes of its line. */
class BulkLineScannerFuzz {
  private static final Map<String, Action> ACTIONS =
      Map.of(
          "index", Action.INDEX,
          "create", Action.CREATE,
          "update", Action.UPDATE,
          "delete", Action.DELETE);

  private static final String[] SEEDS = {
    "{\"index\":{\"_id\":\"1\"}}",
    " { \"create\" : {} }\r",
    "{\"del\\u0065te\":{}}",
    "{\"update\":{\"_id\":\"\\\"\"}}",
    "\t\r",
    "{\"destroy\":{}}",
    "{}",
    "[\"index\"]"
  };

  @FuzzTest
  void findsTheActionOfALine(byte[] line) {
    check(line);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void findsTheActionOfDamagedLines(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] line = SEEDS[random.nextInt(SEEDS.length)].getBytes(StandardCharsets.UTF_8);
      for (int n = random.nextInt(3); n > 0; n--) {
        line[random.nextInt(line.length)] =
            (byte) "{}[]\":, \tindexcrat\\\0\u00ff".charAt(random.nextInt(21));
      }
      check(random.nextInt(4) == 0 ? Arrays.copyOf(line, random.nextInt(line.length)) : line);
    }
  }

  private static void check(byte[] line) {
    byte[] around = new byte[line.length + 20];
    Arrays.fill(around, (byte) '{');
    System.arraycopy(line, 0, around, 10, line.length);
    Action found = new BulkLineScanner().readAnyAction(around, 10, 10 + line.length);
    Action theirs = ofOpenSearch(line);
    assertThat(found).isNotEqualTo(Action.UNCOMMON);
    if (theirs != Action.MALFORMED && theirs != Action.BLANK) {
      assertThat(found).as(new String(line, StandardCharsets.UTF_8)).isEqualTo(theirs);
    }
    assertThat(BulkLineScanner.countItems(around, 10, 10 + line.length))
        .isBetween(0L, (long) line.length);
  }

  private static Action ofOpenSearch(byte[] line) {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY, DeprecationHandler.IGNORE_DEPRECATIONS, line)) {
      XContentParser.Token token = parser.nextToken();
      if (token == null) {
        return Action.BLANK;
      }
      return token == XContentParser.Token.START_OBJECT
              && parser.nextToken() == XContentParser.Token.FIELD_NAME
          ? ACTIONS.getOrDefault(parser.currentName(), Action.MALFORMED)
          : Action.MALFORMED;
    } catch (IOException | XContentParseException e) {
      return Action.MALFORMED;
    }
  }
}
