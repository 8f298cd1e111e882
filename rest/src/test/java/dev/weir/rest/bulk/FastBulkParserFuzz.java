package dev.weir.rest.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** {@link FastBulkParser} parses like OpenSearch's parser, or gives up. */
class FastBulkParserFuzz {
  private static final FastBulkParser.ItemDefaults PLAIN =
      new FastBulkParser.ItemDefaults("logs", null, null, false, true);

  private static final String[] ACTIONS = {
    "{\"index\":{}}",
    "{\"create\":{}}",
    "{\"index\":{\"_index\":\"logs\"}}",
    "{\"index\":{\"_index\":\"other\",\"_id\":\"7\"}}",
    "{ \"create\" : { \"_id\" : \"a b\" , \"_index\" : \"logs\" } } ",
    "{\"index\":{\"_id\":\"\"}}\r",
    "{\"index\":{\"_id\":null}}",
    "{\"index\":{\"_id\":null,\"_index\":\"other\",\"routing\":null}}",
    "{\"create\":{\"routing\" : null , \"_index\":null,\"_id\":\"9\"}}",
    "{\"index\":{\"_id\":\"x\",\"routing\":\"r\"}}",
    "{\"index\":{\"_id\":5}}",
    "{\"index\":{\"_id\":null,\"_id\":\"b\"}}",
    "{\"index\":{\"routing\":null,\"routing\":\"r\"}}",
    "{\"index\":{\"routing\":null,}}",
    "{\"index\":{\"_id\":nullx}}",
    "{\"index\":{\"pipeline\":null}}",
    "{\"index\":{\"version\":null}}",
    "{\"index\":{\"_id\":\"a\\u0041\"}}",
    "{\"index\":{\"_id\":\"\u00fc\"}}",
    "{\"index\":{\"_id\":\"a\",\"_id\":\"b\"}}",
    "{\"index\":{\"_index\":\"a\",}}",
    "{\"index\":{}} {}",
    "{\"delete\":{\"_id\":\"1\"}}",
    "{\"index\":{}",
    ""
  };

  /** The first of {@link #ACTIONS}, which are ordinary. */
  private static final int ORDINARY_ACTIONS = 9;

  private static final String[] DOCUMENTS = {
    "{\"a\":1}", "{\"a\":\"\u00e9\"}\r", "", "\r", "not json", "{\"a\":\"12345678901234567890\"}"
  };

  @Test
  void takesOrdinaryBodies() throws IOException {
    String body =
        "{\"index\":{\"_index\":\"logs\"}}\n"
            + "{\"a\":1}\n"
            + "{ \"create\": {\"_id\":\"1\"}}\r\n"
            + "{\"b\":2}\r\n";
    assertThat(sameAsOpenSearch(body.getBytes(StandardCharsets.UTF_8), PLAIN)).isTrue();
  }

  /** Logstash writes each action line so. */
  @Test
  void takesNullForTheDefault() throws IOException {
    byte[] body =
        """
        {"index":{"_id":null,"_index":"logstash-2026.11.21","routing":null}}
        {"a":1}
        """
            .getBytes(StandardCharsets.UTF_8);
    assertThat(sameAsOpenSearch(body, PLAIN)).isTrue();
    assertThat(
            sameAsOpenSearch(body, new FastBulkParser.ItemDefaults("logs", "r", "p", true, true)))
        .isTrue();
    byte[] unnamed =
        "{\"index\":{\"_index\":null,\"_id\":\"1\"}}\n{}\n".getBytes(StandardCharsets.UTF_8);
    assertThat(sameAsOpenSearch(unnamed, PLAIN)).isTrue();
  }

  @Test
  void leavesOtherNullsToOpenSearch() {
    for (String key : List.of("pipeline", "version", "op_type", "require_alias", "_type")) {
      byte[] body = ("{\"index\":{\"" + key + "\":null}}\n{}\n").getBytes(StandardCharsets.UTF_8);
      assertThat(FastBulkParser.read(new BytesArray(body), PLAIN, bytes -> {})).as(key).isNull();
    }
  }

  @Test
  void givesItemsTheDefaults() throws IOException {
    FastBulkParser.ItemDefaults all =
        new FastBulkParser.ItemDefaults("logs", "r", "p", true, false);
    byte[] own = "{\"index\":{\"_id\":\"1\"}}\n{}\n".getBytes(StandardCharsets.UTF_8);
    assertThat(sameAsOpenSearch(own, all)).isTrue();
    byte[] named = "{\"index\":{\"_index\":\"x\"}}\n{}\n".getBytes(StandardCharsets.UTF_8);
    assertThat(FastBulkParser.read(new BytesArray(named), all, bytes -> {})).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void takesNothingThatOpenSearchReadsOtherwise(long seed) throws IOException {
    Random random = new Random(seed);
    int taken = 0;
    for (int round = 0; round < 3_000; round++) {
      byte[] body = repeat(body(random), random.nextInt(3) == 0 ? 20 : 1);
      if (random.nextInt(3) == 0 && body.length > 0) {
        body[random.nextInt(body.length)] = (byte) (random.nextInt(130) - 2);
      }
      if (sameAsOpenSearch(body, PLAIN)) {
        taken++;
      }
    }
    assertThat(taken).isBetween(200, 2_900);
  }

  /** With many documents of one kind, the parser keeps lines. */
  private static byte[] repeat(byte[] body, int times) {
    byte[] all = new byte[body.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(body, 0, all, i * body.length, body.length);
    }
    return all;
  }

  @Test
  void keepsLinesOfDocumentsOfOneKind() {
    for (String line : List.of("{\"index\":{}}", "{\"create\":{\"_id\":\"1\"}}")) {
      assertThat(linesOf((line + "\n{}\n").repeat(20))).isNotNull();
      assertThat(linesOf((line + "\n{}\n").repeat(20) + line + "\n\n")).as("no source").isNull();
      assertThat(linesOf((line + "\n{}\n").repeat(3))).as("few").isNull();
    }
    String mixed = "{\"index\":{\"_id\":\"1\"}}\n{}\n{\"index\":{}}\n{}\n";
    assertThat(linesOf(mixed.repeat(20))).isNull();
    String tooLong = "{\"index\":{\"_id\":\"" + "x".repeat(513) + "\"}}\n{}\n";
    assertThat(linesOf(tooLong.repeat(20))).isNull();
  }

  private static @Nullable BulkLines linesOf(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    FastBulkParser.Documents read =
        FastBulkParser.read(new BytesArray(bytes), PLAIN, reserved -> {});
    return read == null ? null : read.lines();
  }

  private static byte[] body(Random random) {
    StringBuilder body = new StringBuilder();
    for (int lines = random.nextInt(4); lines >= 0; lines--) {
      int ordinary = random.nextInt(8) == 0 ? ACTIONS.length : ORDINARY_ACTIONS;
      body.append(ACTIONS[random.nextInt(ordinary)]).append('\n');
      body.append(DOCUMENTS[random.nextInt(DOCUMENTS.length)]);
      body.append(random.nextInt(40) == 0 ? "" : "\n");
    }
    return body.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns whether the body was parsed; fails if OpenSearch's parser gives another result. */
  private static boolean sameAsOpenSearch(byte[] body, FastBulkParser.ItemDefaults defaults)
      throws IOException {
    byte[] around = new byte[body.length + 16]; // the body has bytes before and after it
    System.arraycopy(body, 0, around, 5, body.length);
    BytesArray window = new BytesArray(around, 5, body.length);
    FastBulkParser.Documents read = FastBulkParser.read(window, defaults, bytes -> {});
    if (read == null) {
      return false;
    }
    BulkRequest theirs = new BulkRequest();
    theirs.add(
        window,
        defaults.index(),
        defaults.routing(),
        null,
        defaults.pipeline(),
        defaults.requireAlias(),
        defaults.allowExplicitIndex(),
        XContentType.JSON);
    BulkLines lines = read.lines();
    BulkRequest ours = lines == null ? new BulkRequest() : new LineBulkRequest(lines);
    read.requests().forEach(ours::add);
    assertThat(ours.numberOfActions()).isEqualTo(theirs.numberOfActions());
    assertThat(ours.estimatedSizeInBytes()).isEqualTo(theirs.estimatedSizeInBytes());
    assertThat(ours.getIndices()).isEqualTo(theirs.getIndices());
    assertThat(errors(ours)).isEqualTo(errors(theirs));
    assertThat(bytes(ours)).as(new String(body, StandardCharsets.UTF_8)).isEqualTo(bytes(theirs));
    assertThat(ours.estimatedSizeInBytes()).isEqualTo(theirs.estimatedSizeInBytes());
    return true;
  }

  private static List<String> errors(BulkRequest request) {
    ActionRequestValidationException invalid = request.validate();
    return invalid == null ? List.of() : invalid.validationErrors();
  }

  private static String bytes(BulkRequest request) throws IOException {
    StringBuilder all = new StringBuilder();
    for (Object item : request.requests()) {
      IndexRequest document = (IndexRequest) Objects.requireNonNull(item);
      try (BytesStreamOutput out = new BytesStreamOutput()) {
        document.writeTo(out);
        all.append(HexFormat.of().formatHex(BytesReference.toBytes(out.bytes()))).append('|');
      }
    }
    return all.toString();
  }
}
