package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.model.JsonStringEscaper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;

/** OpenSearch's parser reads back every text that the gateway's JSON writers escape. */
class JsonTextFuzz {
  private static final String ODD = "\"\\/\b\f\n\r\t\0\u001f\u007f\u0080\u2028\ud7ff\ue000\uffff";

  @FuzzTest
  void isReadBack(FuzzedDataProvider data) throws IOException {
    check(data.consumeRemainingAsString());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void isReadBackForOddTexts(long seed) throws IOException {
    Random random = new Random(seed);
    for (int round = 0; round < 5_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(12); n > 0; n--) {
        switch (random.nextInt(3)) {
          case 0 -> text.append(ODD.charAt(random.nextInt(ODD.length())));
          case 1 -> text.appendCodePoint(0x1_0000 + random.nextInt(0x10_0000));
          default -> text.append((char) random.nextInt(0xd800));
        }
      }
      check(text.toString());
    }
  }

  private static void check(String text) throws IOException {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      return; // JSON in UTF-8 has no unpaired surrogates
    }
    StringBuilder json = new StringBuilder();
    JsonStringEscaper.appendQuoted(json, text);
    assertThat(read(json)).isEqualTo(text);
    json.setLength(0);
    JsonStringEscaper.appendQuotedAscii(json, text);
    assertThat(json.chars()).allMatch(c -> c >= ' ' && c <= '~');
    assertThat(read(json)).isEqualTo(text);
  }

  private static String read(StringBuilder json) throws IOException {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            json.toString().getBytes(StandardCharsets.UTF_8))) {
      parser.nextToken();
      return parser.text();
    }
  }
}
