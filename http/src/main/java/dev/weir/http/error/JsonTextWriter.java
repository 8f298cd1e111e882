package dev.weir.http.error;

import dev.weir.model.JsonStringEscaper;
import org.jspecify.annotations.Nullable;

/** Writes a small JSON document, compact or indented as OpenSearch indents. */
final class JsonTextWriter {

  private final StringBuilder text = new StringBuilder(256);
  private final boolean pretty;
  private int depth;
  private boolean first = true;
  private boolean afterName;

  JsonTextWriter(boolean pretty) {
    this.pretty = pretty;
  }

  /** Opens an object or array. */
  JsonTextWriter open(char bracket) {
    separate();
    text.append(bracket);
    depth++;
    first = true;
    return this;
  }

  /** Closes the innermost object or array. */
  JsonTextWriter close(char bracket) {
    depth--;
    if (!first) {
      newLine();
    }
    text.append(bracket);
    first = false;
    return this;
  }

  JsonTextWriter name(String name) {
    separate();
    JsonStringEscaper.appendQuoted(text, name);
    text.append(pretty ? " : " : ":");
    afterName = true;
    return this;
  }

  /** Writes a string, a number or null. */
  JsonTextWriter value(@Nullable Object value) {
    separate();
    if (value instanceof CharSequence string) {
      JsonStringEscaper.appendQuoted(text, string);
    } else {
      text.append(value);
    }
    first = false;
    return this;
  }

  String finish() {
    if (pretty) {
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
    if (pretty) {
      text.append('\n').repeat("  ", depth);
    }
  }
}
