package dev.weir.observe.admin;

import dev.weir.model.JsonStringEscaper;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists, numbers, booleans, text and null as indented JSON; a list of numbers alone
 * takes one line.
 */
final class IndentedJsonWriter {
  private final StringBuilder out = new StringBuilder();

  private IndentedJsonWriter() {}

  static String write(Map<String, ?> tree) {
    IndentedJsonWriter writer = new IndentedJsonWriter();
    writer.value(tree, 0);
    return writer.out.append('\n').toString();
  }

  private void value(@Nullable Object value, int depth) {
    switch (value) {
      case null -> out.append("null");
      case Map<?, ?> map -> map(map, depth);
      case List<?> list -> list(list, depth);
      case Double number when !Double.isFinite(number) -> out.append("null");
      case Number number -> out.append(number);
      case Boolean bool -> out.append(bool);
      default -> text(value.toString());
    }
  }

  private void map(Map<?, ?> map, int depth) {
    if (map.isEmpty()) {
      out.append("{}");
      return;
    }
    out.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      newLine(depth + 1);
      text(String.valueOf(entry.getKey()));
      out.append(": ");
      value(entry.getValue(), depth + 1);
      if (entries.hasNext()) {
        out.append(',');
      }
    }
    newLine(depth);
    out.append('}');
  }

  private void list(List<?> list, int depth) {
    if (list.isEmpty()) {
      out.append("[]");
      return;
    }
    boolean numbers = list.stream().allMatch(Number.class::isInstance);
    out.append('[');
    for (int i = 0; i < list.size(); i++) {
      if (i > 0) {
        out.append(numbers ? ", " : ",");
      }
      if (!numbers) {
        newLine(depth + 1);
      }
      value(list.get(i), depth + 1);
    }
    if (!numbers) {
      newLine(depth);
    }
    out.append(']');
  }

  private void newLine(int depth) {
    out.append('\n').repeat("  ", depth);
  }

  private void text(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        JsonStringEscaper.appendEscaped(out, c);
      }
    }
    out.append('"');
  }
}
