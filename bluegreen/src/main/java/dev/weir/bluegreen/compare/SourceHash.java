package dev.weir.bluegreen.compare;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;

/**
 * A hash of a document as a JSON value: the first half of a SHA-256. The order of an object's
 * members, blanks and the notation of numbers make no difference; a number and a string do. A
 * source that can't be parsed is hashed byte by byte.
 */
record SourceHash(long high, long low) {
  /** Of a document whose source is not stored. */
  static final SourceHash NONE = new SourceHash(0, 0);

  /** The stack must hold a value; deeper sources are hashed byte by byte. */
  private static final int MAX_DEPTH = 500;

  static SourceHash of(@Nullable BytesReference source) {
    if (source == null) {
      return NONE;
    }
    MessageDigest digest = sha256();
    try {
      write(parse(source), digest);
    } catch (IOException | RuntimeException unreadable) {
      digest.reset();
      digest.update((byte) 'R');
      digest.update(BytesReference.toBytes(source));
    }
    ByteBuffer hash = ByteBuffer.wrap(digest.digest());
    return new SourceHash(hash.getLong(), hash.getLong());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static @Nullable Object parse(BytesReference source) throws IOException {
    MediaType type = ClusterDocumentClient.detectMediaType(source);
    if (type == null) {
      throw new IOException("no format that a document may have");
    }
    try (XContentParser parser =
        type.xContent()
            .createParser(
                NamedXContentRegistry.EMPTY,
                DeprecationHandler.IGNORE_DEPRECATIONS,
                source.streamInput())) {
      parser.nextToken();
      return value(parser, 0);
    }
  }

  private static @Nullable Object value(XContentParser parser, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("nested too deeply");
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new TreeMap<>();
        while (parser.nextToken() == XContentParser.Token.FIELD_NAME) {
          String name = parser.currentName();
          parser.nextToken();
          members.put(name, value(parser, depth + 1));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
          elements.add(value(parser, depth + 1));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.text();
      case VALUE_NUMBER -> new BigDecimal(parser.text());
      case VALUE_BOOLEAN -> parser.booleanValue();
      case VALUE_EMBEDDED_OBJECT -> parser.binaryValue();
      case VALUE_NULL -> null;
      case null, default -> throw new IOException("got " + parser.currentToken());
    };
  }

  /** Writes a value so that no two values have the same bytes: a kind, a length, the content. */
  private static void write(@Nullable Object value, MessageDigest digest) {
    switch (value) {
      case null -> digest.update((byte) '0');
      case Map<?, ?> members -> {
        writeLength('o', members.size(), digest);
        members.forEach((name, member) -> {
          write(name, digest);
          write(member, digest);
        });
      }
      case List<?> elements -> {
        writeLength('a', elements.size(), digest);
        elements.forEach(element -> write(element, digest));
      }
      case String text -> writeBytes('s', text.getBytes(StandardCharsets.UTF_8), digest);
      case BigDecimal number -> {
        BigDecimal plain = number.stripTrailingZeros();
        writeBytes('n', plain.unscaledValue().toByteArray(), digest);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(plain.scale()).flip());
      }
      case Boolean flag -> digest.update((byte) (flag ? 't' : 'f'));
      case byte[] binary -> writeBytes('b', binary, digest);
      default -> throw new IllegalStateException("got a " + value.getClass());
    }
  }

  private static void writeBytes(char kind, byte[] bytes, MessageDigest digest) {
    writeLength(kind, bytes.length, digest);
    digest.update(bytes);
  }

  private static void writeLength(char kind, int length, MessageDigest digest) {
    digest.update(ByteBuffer.allocate(1 + Integer.BYTES).put((byte) kind).putInt(length).flip());
  }
}
