package dev.weir.core.actions.truncate;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentGenerator;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.core.xcontent.XContentParser.Token;

/**
 * Truncates values in a document that is CBOR, SMILE or YAML: reads it once to find them, and only
 * then writes it again. Its other values stay, but their encoding may change. A document that can't
 * be read is left to the node. Used once, by one thread.
 */
final class EncodedDocumentTruncator {
  private final BytesReference source;
  private final MediaType type;
  private final KeywordFields fields;
  private final boolean isSharedTruncated;
  private final Consumer<UntruncatedReason> untruncated;

  /** The strings to truncate, by their number among all string values. */
  private final BitSet cuts = new BitSet();

  private EncodedDocumentTruncator(
      BytesReference source,
      MediaType type,
      KeywordFields fields,
      boolean isSharedTruncated,
      Consumer<UntruncatedReason> untruncated) {
    this.source = source;
    this.type = type;
    this.fields = fields;
    this.isSharedTruncated = isSharedTruncated;
    this.untruncated = untruncated;
  }

  /**
   * A truncated document.
   *
   * @param values the number of truncated values
   */
  record TruncatedDocument(BytesReference source, int values) {}

  /**
   * Truncates a document.
   *
   * @param untruncated gets why a value that is too long was left alone
   * @return null if no value is truncated
   */
  static @Nullable TruncatedDocument truncate(
      BytesReference source,
      MediaType type,
      KeywordFields fields,
      boolean isSharedTruncated,
      Consumer<UntruncatedReason> untruncated) {
    EncodedDocumentTruncator document =
        new EncodedDocumentTruncator(source, type, fields, isSharedTruncated, untruncated);
    try {
      document.find();
      return document.cuts.isEmpty()
          ? null
          : new TruncatedDocument(document.rewrite(), document.cuts.cardinality());
    } catch (IOException | RuntimeException unreadable) {
      untruncated.accept(UntruncatedReason.UNREADABLE);
      return null;
    }
  }

  private XContentParser parser() throws IOException {
    return type.xContent()
        .createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            source.streamInput());
  }

  /** The dotted path of the next value. */
  private static final class ValuePath {
    private final StringBuilder path = new StringBuilder();
    private final Deque<Integer> lengths = new ArrayDeque<>();

    void follow(Token token, XContentParser parser) throws IOException {
      switch (token) {
        case START_OBJECT, START_ARRAY -> lengths.push(path.length());
        case END_OBJECT, END_ARRAY -> path.setLength(lengths.pop());
        case FIELD_NAME -> {
          path.setLength(lengths.isEmpty() ? 0 : lengths.element());
          path.append(path.isEmpty() ? "" : ".").append(parser.currentName());
        }
        default -> {
          // a value
        }
      }
    }

    @Override
    public String toString() {
      return path.toString();
    }
  }

  private void find() throws IOException {
    ValuePath path = new ValuePath();
    int number = 0;
    try (XContentParser parser = parser()) {
      for (Token token = parser.nextToken(); token != null; token = parser.nextToken()) {
        path.follow(token, parser);
        if (token == Token.VALUE_STRING) {
          inspect(number, path, parser);
          number++;
        }
      }
    }
  }

  private void inspect(int number, ValuePath path, XContentParser parser) throws IOException {
    if (parser.textLength() <= ValueLimit.MAX_TERM_BYTES / KeywordFields.MAX_BYTES_PER_UNIT) {
      return;
    }
    TruncatedField field = fields.field(path.toString());
    if (field == null) {
      return;
    }
    String text = parser.text();
    int bytes = utf8Length(text);
    ValueLimit limit = field.limit(isSharedTruncated);
    if (limit != null && limit.isExceeded(bytes, text.length())) {
      cuts.set(number);
    } else if (field.all().isExceeded(bytes, text.length())) {
      untruncated.accept(field.reason());
    }
  }

  private BytesReference rewrite() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(source.length());
    ValuePath path = new ValuePath();
    int number = 0;
    try (XContentParser parser = parser();
        XContentGenerator generator = type.xContent().createGenerator(out)) {
      for (Token token = parser.nextToken(); token != null; token = parser.nextToken()) {
        path.follow(token, parser);
        if (token != Token.VALUE_STRING) {
          generator.copyCurrentEvent(parser);
        } else if (cuts.get(number++)) {
          generator.writeString(cut(parser.text(), path));
        } else {
          generator.copyCurrentEvent(parser);
        }
      }
    }
    return new BytesArray(out.toByteArray());
  }

  private String cut(String text, ValuePath path) {
    TruncatedField field = fields.field(path.toString());
    ValueLimit limit = field == null ? null : field.limit(isSharedTruncated);
    if (limit == null) {
      return text;
    }
    int bytes = 0;
    int end = 0;
    while (end < text.length()) {
      int next = text.offsetByCodePoints(end, 1);
      bytes += utf8Length(text.codePointAt(end));
      if (bytes > limit.maxBytes()) {
        break;
      }
      end = next;
    }
    return text.substring(0, end);
  }

  private static int utf8Length(String text) {
    int bytes = 0;
    for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
      bytes += utf8Length(text.codePointAt(at));
    }
    return bytes;
  }

  /** A lone surrogate becomes U+FFFD, of three bytes. */
  private static int utf8Length(int codePoint) {
    return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
}
