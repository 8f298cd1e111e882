package dev.weir.testkit.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;

/**
 * The formats that bodies come in besides JSON: YAML, CBOR and SMILE, read and written with
 * OpenSearch's own classes.
 */
final class BodyFormats {
  private BodyFormats() {}

  /** The format of a media type, if it is one of the three. */
  static Optional<XContentType> forMediaType(String mediaType) {
    return switch (mediaType) {
      case "application/yaml" -> Optional.of(XContentType.YAML);
      case "application/cbor" -> Optional.of(XContentType.CBOR);
      case "application/smile" -> Optional.of(XContentType.SMILE);
      default -> Optional.empty();
    };
  }

  /** The format that a corpus names {@code yaml}, {@code cbor} or {@code smile}. */
  static XContentType forName(String name) {
    return forMediaType("application/" + name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "got the format [" + name + "] (expected: yaml, cbor or smile)"));
  }

  /** JSON in another format. */
  static byte[] encode(XContentType format, String json) {
    try (XContentParser parser = parser(XContentType.JSON, new BytesArray(json));
        XContentBuilder builder = XContentBuilder.builder(format.xContent())) {
      builder.copyCurrentStructure(parser);
      return BytesReference.toBytes(BytesReference.bytes(builder));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write as " + format + ": " + json, e);
    }
  }

  /** The value, or nothing when the bytes are not in the format. */
  static Optional<BodyTree> read(XContentType format, byte[] bytes) {
    try (XContentParser parser = parser(format, new BytesArray(bytes))) {
      return parser.nextToken() == null ? Optional.empty() : Optional.of(value(parser));
    } catch (IOException | RuntimeException notInTheFormat) {
      return Optional.empty();
    }
  }

  private static XContentParser parser(XContentType format, BytesReference bytes)
      throws IOException {
    return MediaTypeRegistry.fromMediaType(format.mediaTypeWithoutParameters())
        .xContent()
        .createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            bytes.streamInput());
  }

  private static BodyTree value(XContentParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> leaf('"' + parser.text() + '"');
      case VALUE_NUMBER -> leaf(parser.text());
      case VALUE_BOOLEAN -> leaf(Boolean.toString(parser.booleanValue()));
      case VALUE_NULL -> leaf("null");
      case VALUE_EMBEDDED_OBJECT ->
          leaf("binary " + HexFormat.of().formatHex(parser.binaryValue()));
      default -> throw new IOException("got token " + parser.currentToken());
    };
  }

  private static BodyTree object(XContentParser parser) throws IOException {
    List<BodyTree.Member> members = new ArrayList<>();
    while (parser.nextToken() != XContentParser.Token.END_OBJECT) {
      String key = parser.currentName();
      parser.nextToken();
      members.add(new BodyTree.Member(key, value(parser)));
    }
    return new BodyTree.ObjectNode(List.copyOf(members), 0, 0);
  }

  private static BodyTree array(XContentParser parser) throws IOException {
    List<BodyTree> items = new ArrayList<>();
    while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
      items.add(value(parser));
    }
    return new BodyTree.ArrayNode(List.copyOf(items), 0, 0);
  }

  private static BodyTree leaf(String text) {
    return new BodyTree.ScalarNode(text, 0, 0);
  }
}
