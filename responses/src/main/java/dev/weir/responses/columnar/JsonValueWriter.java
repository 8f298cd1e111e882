package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/** Writes values of OpenSearch objects as JSON, in OpenSearch's own format. Used by one thread. */
final class JsonValueWriter {
  private final JsonBuffer json;

  JsonValueWriter(JsonBuffer json) {
    this.json = json;
  }

  /** Writes a value and returns its {@link ValueKinds}. */
  int write(@Nullable Object value) throws IOException {
    return switch (value) {
      case null -> {
        json.writeAscii("null");
        yield ValueKinds.NULL;
      }
      case String text -> {
        json.writeQuoted(text);
        yield ValueKinds.STRING;
      }
      case Long _, Integer _, Short _, Byte _ -> {
        json.writeAscii(value.toString());
        yield ValueKinds.INTEGER;
      }
      case Boolean truth -> {
        json.writeAscii(truth.toString());
        yield ValueKinds.BOOLEAN;
      }
      case Double number -> writeNumber(number);
      case Float number -> writeNumber(number);
      case Collection<?> list -> writeList(list);
      default -> writeOther(value);
    };
  }

  /** Writes the values of a field: a single value as it is, several values as a list. */
  int writeField(Collection<?> values) throws IOException {
    return values.size() == 1 ? write(values.iterator().next()) : writeList(values);
  }

  private int writeNumber(Number number) throws IOException {
    if (!Double.isFinite(number.doubleValue())) {
      return write(number.toString());
    }
    json.writeAscii(number.toString());
    return ValueKinds.DECIMAL;
  }

  private int writeList(Collection<?> values) throws IOException {
    int kinds = ValueKinds.LIST;
    boolean first = true;
    json.write('[');
    for (Object value : values) {
      if (!first) {
        json.write(',');
      }
      first = false;
      int kind = write(value);
      kinds |= ValueKinds.hasAny(kind, ValueKinds.LIST) ? ValueKinds.NESTED_LIST : kind;
    }
    json.write(']');
    return kinds;
  }

  private int writeOther(Object value) throws IOException {
    int since = json.length();
    try (XContentBuilder builder = new XContentBuilder(XContentType.JSON.xContent(), json)) {
      builder.value(value);
    }
    return switch (json.bytes()[since]) {
      case '"' -> ValueKinds.STRING;
      case '{' -> ValueKinds.OBJECT;
      case '[' -> ValueKinds.LIST | ValueKinds.NESTED_LIST;
      default -> value instanceof Number ? writeNumber(since) : ValueKinds.BOOLEAN;
    };
  }

  private int writeNumber(int since) {
    for (int i = since; i < json.length(); i++) {
      byte digit = json.bytes()[i];
      if (digit == '.' || digit == 'e' || digit == 'E') {
        return ValueKinds.DECIMAL;
      }
    }
    return ValueKinds.INTEGER;
  }

  /** Writes a fragment of OpenSearch as an object with one member. */
  void writeFragment(ToXContent fragment) throws IOException {
    try (XContentBuilder builder = new XContentBuilder(XContentType.JSON.xContent(), json)) {
      builder.startObject();
      fragment.toXContent(builder, ToXContent.EMPTY_PARAMS);
      builder.endObject();
    }
  }
}
