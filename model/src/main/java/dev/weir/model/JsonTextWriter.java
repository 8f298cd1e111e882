package dev.weir.model;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's writer of JSON as text, for small documents: error bodies, admin pages, the
 * configuration's schema. Large responses are written as bytes with {@link JsonBuffer}. Used by one
 * thread.
 */
public final class JsonTextWriter {
  /** Where a document has spaces and line ends. */
  public enum Layout {
    /** None. */
    COMPACT(":", false),
    /** One member a line, as OpenSearch writes with {@code ?pretty}. */
    PRETTY(" : ", true),
    /** One member a line, as people write JSON; a list of numbers takes one line. */
    INDENTED(": ", true);

    private final String colon;
    private final boolean lines;

    Layout(String colon, boolean lines) {
      this.colon = colon;
      this.lines = lines;
    }
  }

  private final StringBuilder text = new StringBuilder(256);
  private final Layout layout;
  private int depth;
  private boolean first = true;
  private boolean afterName;

  public JsonTextWriter(Layout layout) {
    this.layout = layout;
  }

  /** Writes an indented document from maps, lists, numbers, booleans, text and null. */
  public static String toIndentedJson(Map<String, ?> tree) {
    return new JsonTextWriter(Layout.INDENTED).tree(tree).finish();
  }

  /** Opens an object or array. */
  public JsonTextWriter open(char bracket) {
    separate();
    text.append(bracket);
    depth++;
    first = true;
    return this;
  }

  /** Closes the object or array that was opened last. */
  public JsonTextWriter close(char bracket) {
    depth--;
    if (!first) {
      newLine();
    }
    text.append(bracket);
    first = false;
    return this;
  }

  public JsonTextWriter name(String name) {
    separate();
    JsonStringEscaper.appendQuoted(text, name);
    text.append(layout.colon);
    afterName = true;
    return this;
  }

  /** Writes text, a number, a boolean or null; an infinite number and NaN become null. */
  public JsonTextWriter value(@Nullable Object value) {
    separate();
    writeScalar(value);
    first = false;
    return this;
  }

  private void writeScalar(@Nullable Object value) {
    switch (value) {
      case null -> text.append("null");
      case Double number when !Double.isFinite(number) -> text.append("null");
      case Number number -> text.append(number);
      case Boolean truth -> text.append(truth);
      case CharSequence string -> JsonStringEscaper.appendQuoted(text, string);
      default -> JsonStringEscaper.appendQuoted(text, value.toString());
    }
  }

  /** Writes a value that consists of maps, lists and scalars. */
  public JsonTextWriter tree(@Nullable Object value) {
    switch (value) {
      case Map<?, ?> map -> {
        open('{');
        map.forEach((key, member) -> name(String.valueOf(key)).tree(member));
        close('}');
      }
      case List<?> list when isNumbers(list) -> writeNumbers(list);
      case List<?> list -> {
        open('[');
        list.forEach(this::tree);
        close(']');
      }
      case null, default -> value(value);
    }
    return this;
  }

  private boolean isNumbers(List<?> list) {
    return layout == Layout.INDENTED && list.stream().allMatch(Number.class::isInstance);
  }

  private void writeNumbers(List<?> numbers) {
    separate();
    text.append('[');
    for (Iterator<?> each = numbers.iterator(); each.hasNext(); ) {
      writeScalar(each.next());
      text.append(each.hasNext() ? ", " : "");
    }
    text.append(']');
    first = false;
  }

  /** Returns the document; one with lines ends with a line end. */
  public String finish() {
    if (layout.lines) {
      text.append('\n');
    }
    return text.toString();
  }

  private void separate() {
    if (afterName) {
      afterName = false;
      return;
    }
    if (!first) {
      text.append(',');
    }
    if (depth > 0) {
      newLine();
    }
    first = false;
  }

  private void newLine() {
    if (layout.lines) {
      text.append('\n').repeat("  ", depth);
    }
  }
}
