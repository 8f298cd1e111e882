package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Kinds;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * Puts values that OpenSearch has as objects into JSON bytes, as OpenSearch writes them. Used by
 * one thread.
 */
final class JsonValues {
  private final JsonBytes json;

  JsonValues(JsonBytes json) {
    this.json = json;
  }

  /** Puts a value; its {@link Kinds}. */
  int put(@Nullable Object value) throws IOException {
    return switch (value) {
      case null -> {
        json.ascii("null");
        yield Kinds.NULL;
      }
      case String text -> {
        json.quote(text);
        yield Kinds.STRING;
      }
      case Long _, Integer _, Short _, Byte _ -> {
        json.ascii(value.toString());
        yield Kinds.INTEGER;
      }
      case Boolean truth -> {
        json.ascii(truth.toString());
        yield Kinds.BOOLEAN;
      }
      case Double number -> number(number);
      case Float number -> number(number);
      case Collection<?> list -> list(list);
      default -> other(value);
    };
  }

  /** Puts the values of a field: one by itself, others as a list. */
  int putField(Collection<?> values) throws IOException {
    return values.size() == 1 ? put(values.iterator().next()) : list(values);
  }

  private int number(Number number) throws IOException {
    if (!Double.isFinite(number.doubleValue())) {
      return put(number.toString());
    }
    json.ascii(number.toString());
    return Kinds.DECIMAL;
  }

  private int list(Collection<?> values) throws IOException {
    int kinds = Kinds.LIST;
    boolean first = true;
    json.write('[');
    for (Object value : values) {
      if (!first) {
        json.write(',');
      }
      first = false;
      int kind = put(value);
      kinds |= Kinds.any(kind, Kinds.LIST) ? Kinds.DEEP : kind;
    }
    json.write(']');
    return kinds;
  }

  private int other(Object value) throws IOException {
    int since = json.length();
    try (XContentBuilder builder = new XContentBuilder(XContentType.JSON.xContent(), json)) {
      builder.value(value);
    }
    return switch (json.bytes()[since]) {
      case '"' -> Kinds.STRING;
      case '{' -> Kinds.OBJECT;
      case '[' -> Kinds.LIST | Kinds.DEEP;
      default -> value instanceof Number ? number(since) : Kinds.BOOLEAN;
    };
  }

  private int number(int since) {
    for (int i = since; i < json.length(); i++) {
      byte digit = json.bytes()[i];
      if (digit == '.' || digit == 'e' || digit == 'E') {
        return Kinds.DECIMAL;
      }
    }
    return Kinds.INTEGER;
  }

  /** Puts an object of one member, which a fragment of OpenSearch's is. */
  void putFragment(ToXContent fragment) throws IOException {
    try (XContentBuilder builder = new XContentBuilder(XContentType.JSON.xContent(), json)) {
      builder.startObject();
      fragment.toXContent(builder, ToXContent.EMPTY_PARAMS);
      builder.endObject();
    }
  }
}
