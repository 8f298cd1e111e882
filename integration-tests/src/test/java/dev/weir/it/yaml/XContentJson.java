package dev.weir.it.yaml;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentFactory;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;

/** Plain maps and lists from JSON (or another content type of OpenSearch) and back. */
final class XContentJson {
  private XContentJson() {}

  static Map<String, Object> object(byte[] json) throws IOException {
    try (XContentParser parser = parser(JsonXContent.jsonXContent.mediaType(), json)) {
      return parser.mapOrdered();
    }
  }

  /** Any value: an object, an array or a scalar. */
  static @Nullable Object value(MediaType type, byte[] bytes) throws IOException {
    try (XContentParser parser = parser(type, bytes)) {
      XContentParser.Token token = parser.nextToken();
      if (token == null) {
        return null;
      }
      return switch (token) {
        case START_OBJECT -> parser.mapOrdered();
        case START_ARRAY -> parser.listOrderedMap();
        case VALUE_NUMBER -> parser.numberValue();
        case VALUE_BOOLEAN -> parser.booleanValue();
        case VALUE_STRING -> parser.text();
        default -> null;
      };
    }
  }

  static String write(@Nullable Object value) {
    try (XContentBuilder builder = XContentFactory.jsonBuilder()) {
      builder.value(value);
      return BytesReference.bytes(builder).utf8ToString();
    } catch (IOException e) {
      throw new AssertionError("can't write as JSON: " + value, e);
    }
  }

  private static XContentParser parser(MediaType type, byte[] bytes) throws IOException {
    return type.xContent()
        .createParser(NamedXContentRegistry.EMPTY, DeprecationHandler.IGNORE_DEPRECATIONS, bytes);
  }
}
