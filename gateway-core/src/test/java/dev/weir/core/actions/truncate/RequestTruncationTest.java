package dev.weir.core.actions.truncate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.xcontent.MediaType;

class RequestTruncationTest {
  private static final int MOST = 32766;
  private static final MediaType JSON = XContentType.JSON;
  private static final String MAPPING =
      """
      {"_doc": {"properties": {
        "k": {"type": "keyword", "fields": {"words": {"type": "text"}}},
        "short": {"type": "keyword", "ignore_above": 10922},
        "long": {"type": "keyword", "ignore_above": 20000},
        "values": {"type": "keyword", "index": false},
        "stored": {"type": "keyword", "index": false, "doc_values": false, "store": true},
        "lower": {"type": "keyword", "normalizer": "lowercase"},
        "t": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "o": {"properties": {"k": {"type": "keyword"}, "n\\"é": {"type": "keyword"}}},
        "list": {"type": "nested", "properties": {"k": {"type": "keyword"}}},
        "off": {"type": "object", "enabled": false, "properties": {"k": {"type": "keyword"}}}
      }}}\
      """;

  private final PolicyCompiler<BulkPolicy.TruncateKeywords> policies =
      new PolicyCompiler<>(new BulkPolicy.TruncateKeywords(List.of("logs*"), false));
  private final KeywordTruncationService truncation = new KeywordTruncationService(policies);
  private final RequestTruncation truncated = truncation.startRequest(RequestPolicy.NONE);

  private static IndexMetadata index(String name, String mapping) {
    try {
      return IndexMetadata.builder(name)
          .settings(
              Settings.builder()
                  .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                  .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                  .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0))
          .putMapping(mapping)
          .build();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Truncates a document for an index with the mapping above. */
  private String look(String json) {
    return look(new BytesArray(json));
  }

  private String look(BytesReference source) {
    IndexRequest request = new IndexRequest("logs").source(source, XContentType.JSON);
    truncated.truncate(0, request, "logs", index("logs-1", MAPPING));
    return request.source().utf8ToString();
  }

  private static String many(String piece, int times) {
    return piece.repeat(times);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "é", "€", "😀", "\\n", "\\u0041", "\\u00e9", "\\u20AC", "\\ud83d\\ude00"})
  void cutsAtACodePointAndLeavesAllOtherBytes(String piece) {
    for (int before = 0; before < 4; before++) {
      String head = "{\"x\" : 1.50, \"k\":\"" + many("b", before);
      String tail = "\" ,\"t\":[\"\\u0041\\\"\",null, {}]}\r";
      int width = utf8(decoded(piece));
      int fit = (MOST - before) / width;
      assertThat(look(head + many(piece, fit) + tail))
          .as("%s that fit", fit)
          .isEqualTo(head + many(piece, fit) + tail);
      assertThat(look(head + many(piece, fit + 1) + tail))
          .as("one more than %s", fit)
          .isEqualTo(head + many(piece, fit) + tail);
      assertThat(look(head + many(piece, MOST + 7) + tail))
          .isEqualTo(head + many(piece, fit) + tail);
    }
  }

  private static String decoded(String piece) {
    Object value =
        XContentHelper.convertToMap(new BytesArray("{\"p\":\"" + piece + "\"}"), true, JSON)
            .v2()
            .get("p");
    return String.valueOf(value);
  }

  private static int utf8(String text) {
    return new BytesRef(text).length;
  }

  @Test
  void cutsTheFieldsAloneThatWouldFailTheirDocument() {
    String full = many("x", MOST);
    String over = full + "yz";
    for (String cut :
        List.of(
            "{\"k\":\"%s\"}",
            "{\"values\":\"%s\"}",
            "{\"k\":[1,\"%s\",{}]}",
            "{\"o\":{\"a\":{\"b\":[[]]},\"k\":\"%s\"}}",
            "{\"o.k\":\"%s\"}",
            "{\"o\":{\"n\\\"\\u00e9\":\"%s\"}}",
            "{\"\\u006b\":\"%s\"}",
            "{\"list\":[{\"k\":\"a\"},{\"k\":\"%s\"}]}")) {
      assertThat(look(cut.formatted(over))).isEqualTo(cut.formatted(full));
    }
    for (String left :
        List.of(
            "{\"short\":\"%s\"}",
            "{\"long\":\"%s\"}",
            "{\"stored\":\"%s\"}",
            "{\"t\":\"%s\"}",
            "{\"other\":\"%s\"}",
            "{\"o\":\"%s\"}",
            "{\"off\":{\"k\":\"%s\"}}",
            "{\"list\":[{\"k\":{\"k\":\"%s\"}}]}",
            "{\"%s\":\"k\"}",
            "[\"%s\"]",
            "\"%s\"")) {
      assertThat(look(left.formatted(over))).isEqualTo(left.formatted(over));
    }
  }

  @Test
  void truncateLongBytesOfFewCharacters() {
    assertThat(look("{\"long\":\"" + many("€", 20_000) + "\"}"))
        .isEqualTo("{\"long\":\"" + many("€", MOST / 3) + "\"}");
    assertThat(look("{\"long\":\"" + many("€", 20_001) + "\"}")).hasSize(20_001 + 11);
  }

  @Test
  void leaveSpaceForNormalizedValues() {
    assertThat(look("{\"lower\":\"" + many("Ⱥ", 20_000) + "\"}"))
        .isEqualTo("{\"lower\":\"" + many("Ⱥ", 10_922) + "\"}");
    assertThat(look("{\"lower\":\"" + many("a", MOST) + "\"}")).hasSize(MOST + 12);
  }

  @Test
  void leaveUnusualJsonUnchanged() {
    String over = many("x", MOST + 1);
    for (String left :
        List.of(
            "{/* \" */\"k\":\"" + over + "\"}",
            "{\"k\":\"" + over,
            "{\"k\":\"\\u12\",\"k\":\"" + over + "\\u00g0\"}",
            "}{\"k\":\"" + over + "\"}",
            many("[", 2000) + "\"" + over + "\"")) {
      assertThat(look(left)).isEqualTo(left);
    }
    byte[] broken = ("{\"k\":\"" + over + "\"}").getBytes(StandardCharsets.UTF_8);
    broken[20] = (byte) 0xFF;
    IndexRequest document =
        new IndexRequest("logs").source(new BytesArray(broken), XContentType.JSON);
    truncated.truncate(0, document, "logs", index("logs-1", MAPPING));
    assertThat(document.source().toBytesRef().bytes).isSameAs(broken);
    assertThat(truncation.truncatedValues()).isZero();
  }

  @Test
  void readsADocumentThatLiesInPieces() {
    byte[] json =
        ("{\"k\":\"" + many("a", MOST + 5) + "\",\"n\":1}").getBytes(StandardCharsets.UTF_8);
    BytesReference pieces =
        CompositeBytesReference.of(
            new BytesArray(json, 0, 100), new BytesArray(json, 100, json.length - 100));
    assertThat(look(pieces)).isEqualTo("{\"k\":\"" + many("a", MOST) + "\",\"n\":1}");
  }

  @Test
  void tellsTheClientAndTheOperatorsOnce() {
    IndexMetadata index = index("logs-1", MAPPING);
    String over = "{\"k\":[\"" + many("a", MOST + 1) + "\",\"" + many("b", MOST + 1) + "\"]}";
    IndexRequest document = new IndexRequest("logs").source(over, XContentType.JSON);
    UpdateRequest update =
        new UpdateRequest("logs", "1").doc(over, XContentType.JSON).upsert(over, XContentType.JSON);
    truncated.truncate(3, document, "logs", index);
    truncated.truncate(3, document, "logs", index); // planned once more
    truncated.truncate(5, new DeleteRequest("logs", "1"), "logs", index);
    truncated.truncate(7, update, "logs", index);
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    truncated.addWarnings(context);
    truncated.addWarnings(context);
    assertThat(context.response().headers())
        .isEqualTo(Map.of("X-Weir-Truncated", Set.of("6; items=3,7")));
    assertThat(truncation.truncatedValues()).isEqualTo(6);
    assertThat(truncation.truncatedDocuments()).isEqualTo(2);
    assertThat(update.doc().source().length()).isEqualTo(update.upsertRequest().source().length());
  }

  @Test
  void saysNothingWhereNothingWasCut() {
    look("{\"k\":\"short\"}");
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    truncated.addWarnings(context);
    assertThat(context.response().headers()).isEmpty();
  }

  @Test
  void cutsOnlyWhereThePolicySays() {
    String over = "{\"k\":\"" + many("a", MOST + 1) + "\"}";
    IndexRequest document = new IndexRequest("alias").source(over, XContentType.JSON);
    truncated.truncate(0, document, "alias", index("other", MAPPING));
    assertThat(document.source().length()).isEqualTo(over.length());
    BulkPolicy.TruncateKeywords other = new BulkPolicy.TruncateKeywords(List.of("ali*"), false);
    RequestTruncation named = truncation.startRequest(policies.compile("other", other, null));
    named.truncate(0, document, "alias", index("other", MAPPING));
    assertThat(document.source().length()).isEqualTo(over.length() - 1);
  }

  @Test
  void seesAMappingThatWasChanged() {
    IndexRequest document =
        new IndexRequest("logs")
            .source("{\"late\":\"" + many("a", MOST + 1) + "\"}", XContentType.JSON);
    truncated.truncate(0, document, "logs", index("logs", MAPPING));
    assertThat(truncation.truncatedValues()).isZero();
    int before = document.source().length();
    truncated.truncate(
        0, document, "logs", index("logs", MAPPING.replace("\"short\"", "\"late2\"")));
    assertThat(document.source().length()).isEqualTo(before);
    truncated.truncate(0, document, "logs", index("logs", MAPPING.replace("\"k\"", "\"late\"")));
    assertThat(document.source().length()).isEqualTo(before - 1);
  }

  /** OpenSearch parses the truncated document like the original one with truncated values. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void readsAndCutsAsOpenSearchReads(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 2; round++) {
      String json = object(random, 0);
      Object expected = cut("", read(json));
      assertThat(read(look(json))).isEqualTo(expected);
    }
    assertThat(truncatedSoFar()).isPositive();
  }

  private int truncatedSoFar() {
    truncated.addWarnings(new RequestContext(Runnable::run, 1, Map.of()));
    return (int) truncation.truncatedValues();
  }

  private static Map<String, Object> read(String json) {
    return XContentHelper.convertToMap(new BytesArray(json), true, JSON).v2();
  }

  private static String object(Random random, int depth) {
    StringBuilder json = new StringBuilder(" { ");
    List<String> names =
        depth == 0
            ? List.of("k", "t", "o", "list", "a\\u0062")
            : List.of("k", "other", "\\u006B\\/");
    for (String name : names) {
      json.append(json.length() > 3 ? "," : "").append('"').append(name).append("\":");
      json.append(
          name.length() > 1 && !name.contains("\\") && !name.equals("other")
              ? "[" + object(random, 1) + ", " + object(random, 1) + "]"
              : name.equals("o") ? object(random, 1) : value(random));
    }
    return json.append("}").toString();
  }

  private static String value(Random random) {
    if (random.nextInt(4) == 0) {
      return "[ -1.5e3, null," + string(random) + ",true]";
    }
    return string(random);
  }

  private static String string(Random random) {
    String[] pieces = {
      "a",
      "é",
      "€",
      "😀",
      "\\\"",
      "\\\\",
      "\\u0000",
      "\\u00e9",
      "\\ud83d\\ude00",
      "\\ud83d",
      "\\ude00",
      "{",
      "\\n"
    };
    int atMost = random.nextInt(3) == 0 ? 40 : 34_000;
    int kinds = 1 + random.nextInt(pieces.length);
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < atMost; i++) {
      text.append(pieces[random.nextInt(kinds)]);
    }
    return text.append('"').toString();
  }

  /** Truncates the same values in a parsed document. */
  private static Object cut(String path, Object value) {
    return switch (value) {
      case Map<?, ?> object -> {
        Map<String, Object> all = new LinkedHashMap<>();
        object.forEach((name, inner) ->
            all.put(
                name.toString(),
                inner == null
                    ? new Object()
                    : cut(path.isEmpty() ? name.toString() : path + "." + name, inner)));
        yield all;
      }
      case List<?> list -> {
        List<Object> all = new ArrayList<>();
        list.forEach(inner -> all.add(inner == null ? "null" : cut(path, inner)));
        all.replaceAll(inner -> inner.equals("null") ? null : inner);
        yield all;
      }
      case String text when Set.of("k", "o.k", "list.k").contains(path) -> cut(text);
      default -> value;
    };
  }

  private static String cut(String text) {
    int length = 0;
    int at = 0;
    while (at < text.length()) {
      int next = text.offsetByCodePoints(at, 1);
      length += utf8(text.substring(at, next));
      if (length > MOST) {
        return text.substring(0, at);
      }
      at = next;
    }
    return text;
  }
}
