package dev.weir.core.actions.truncate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.opensearch.Version;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.XContentBuilder;

class SharedValueTruncationTest {
  private static final int MOST = 32766;
  private static final String OVER = "x".repeat(MOST + 9);

  private static final String MAPPING =
      """
      {"_doc": {
        "dynamic_templates": [
          {"ids": {"match": "*_id", "match_mapping_type": "string",
            "mapping": {"type": "keyword"}}},
          {"texts": {"match": "*_text", "match_mapping_type": "string", "mapping": {"type": "text",
            "fields": {"raw": {"type": "keyword"}}}}},
          {"labels": {"path_match": "labels.*", "mapping": {"type": "keyword"}}},
          {"objects": {"match": "flat*", "match_mapping_type": "object",
            "mapping": {"type": "flat_object"}}}],
        "properties": {
          "t": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
          "default": {"type": "text",
            "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}},
          "words": {"type": "text", "fields": {"more": {"type": "text"}}},
          "copied": {"type": "text", "copy_to": "all"},
          "made": {"type": "text", "copy_to": ["words", "some_id"]},
          "all": {"type": "keyword", "ignore_above": 40000},
          "k": {"type": "keyword", "ignore_above": 100, "fields": {"raw": {"type": "keyword"}}},
          "flat": {"type": "flat_object"},
          "o": {"properties": {"a": {"type": "keyword"}}},
          "closed": {"dynamic": "false", "properties": {"in": {"type": "object"}}},
          "off": {"type": "object", "enabled": false}
      }}}\
      """;

  private final KeywordTruncationService service =
      new KeywordTruncationService(
          new PolicyCompiler<>(new BulkPolicy.TruncateKeywords(List.of("*"), false)));
  private final KeywordTruncationService sharing =
      new KeywordTruncationService(
          new PolicyCompiler<>(new BulkPolicy.TruncateKeywords(List.of("*"), true)));

  private static IndexMetadata index() {
    try {
      return IndexMetadata.builder("logs")
          .settings(
              Settings.builder()
                  .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                  .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                  .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0))
          .putMapping(MAPPING)
          .build();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static BytesReference truncate(
      KeywordTruncationService by, BytesReference source, XContentType type) {
    IndexRequest request = new IndexRequest("logs").source(source, type);
    RequestTruncation truncation = by.startRequest(RequestPolicy.NONE);
    truncation.truncate(0, request, "logs", index());
    truncation.truncate(0, request, "logs", index()); // planned once more
    truncation.addWarnings(new RequestContext(Runnable::run, 1, Map.of()));
    return request.source();
  }

  private static String truncate(KeywordTruncationService by, String json) {
    return truncate(by, new BytesArray(json), XContentType.JSON).utf8ToString();
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"t\":\"%s\"}', SHARED",
    "'{\"copied\":[1,\"%s\"]}', SHARED",
    "'{\"made\":\"%s\"}', SHARED",
    "'{\"k\":\"%s\"}', SHARED",
    "'{\"new_text\":\"%s\"}', SHARED",
    "'{\"flat\":{\"a\":{\"b\":\"%s\"}}}', FLAT_OBJECT",
    "'{\"flat_new\":{\"a_id\":\"%s\"}}', OBJECT_TEMPLATE"
  })
  void countsWhatItLeavesAlone(String json, UntruncatedReason reason) {
    String document = json.formatted(OVER);
    assertThat(truncate(service, document)).isEqualTo(document);
    for (UntruncatedReason each : UntruncatedReason.values()) {
      assertThat(service.untruncatedDocuments(each))
          .as("%s", each)
          .isEqualTo(each == reason ? 1 : 0);
    }
    assertThat(truncate(sharing, document))
        .isEqualTo(
            reason == UntruncatedReason.SHARED
                ? json.formatted(OVER.substring(0, MOST))
                : document);
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"new_id\":\"%s\"}'",
    "'{\"o\":{\"new_id\":[\"%s\"]}}'",
    "'{\"fresh\":{\"new_id\":\"%s\"}}'",
    "'{\"labels\":{\"host\":\"%s\"}}'",
    "'{\"labels.host\":\"%s\"}'"
  })
  void truncatesFieldsThatATemplateWillMap(String json) {
    assertThat(truncate(service, json.formatted(OVER)))
        .isEqualTo(json.formatted(OVER.substring(0, MOST)));
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"default\":\"%s\"}'",
    "'{\"words\":\"%s\"}'",
    "'{\"unknown\":\"%s\"}'",
    "'{\"closed\":{\"new_id\":\"%s\"}}'",
    "'{\"closed\":{\"in\":{\"new_id\":\"%s\"}}}'",
    "'{\"off\":{\"new_id\":\"%s\"}}'"
  })
  void leavesHarmlessValues(String json) {
    String document = json.formatted(OVER);
    assertThat(truncate(sharing, document)).isEqualTo(document);
    for (UntruncatedReason reason : UntruncatedReason.values()) {
      assertThat(sharing.untruncatedDocuments(reason)).as("%s", reason).isZero();
    }
  }

  @Test
  void countsUnreadableDocuments() {
    truncate(service, "{/**/\"t\":\"" + OVER + "\"}");
    truncate(service, new BytesArray("{".repeat(MOST + 1)), XContentType.CBOR);
    assertThat(service.untruncatedDocuments(UntruncatedReason.UNREADABLE)).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = XContentType.class,
      names = {"CBOR", "SMILE", "YAML"})
  void truncatesOtherFormats(XContentType type) throws IOException {
    BytesReference long1 = document(type, OVER, "é".repeat(20_000));
    Map<String, Object> read = read(truncate(service, long1, type), type);
    assertThat(read)
        .isEqualTo(read(document(type, OVER.substring(0, MOST), "é".repeat(16_383)), type));
    assertThat(service.truncatedValues()).isEqualTo(2);
    assertThat(service.untruncatedDocuments(UntruncatedReason.SHARED)).isEqualTo(1);
    BytesReference harmless = document(type, "short", "short");
    assertThat(truncate(service, harmless, type)).isSameAs(harmless);
  }

  private static BytesReference document(XContentType type, String id, String label)
      throws IOException {
    try (XContentBuilder builder = XContentBuilder.builder(type.xContent())) {
      builder.startObject().field("n", 1.5).field("new_id", id);
      builder.startArray("list").value(1L << 40).nullValue().value(true).value("007").endArray();
      builder.startObject("labels").field("host", label).endObject();
      builder.field("b", new byte[] {1, 2, 3}).field("t", OVER).endObject();
      return BytesReference.bytes(builder);
    }
  }

  private static Map<String, @Nullable Object> read(BytesReference source, MediaType type) {
    Map<String, @Nullable Object> read = XContentHelper.convertToMap(source, true, type).v2();
    if (read.get("b") instanceof byte[] bytes) {
      read.put("b", Arrays.toString(bytes));
    }
    return Objects.requireNonNull(read);
  }
}
