package dev.weir.responses.trim;

import static dev.weir.model.JsonBuffer.toAscii;

import dev.weir.model.JsonBuffer;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Removes members with a null value from JSON objects: {@code {"a":null,"b":[null]}} becomes {@code
 * {"b":[null]}}. Keys keep their order, array elements their positions, and other values their
 * notation; white space is removed. A document without nulls, or one that this class cannot parse,
 * stays unchanged.
 */
final class NullMemberRemover {
  /** The maximum depth, as in OpenSearch's JSON parser. */
  private static final int MAX_DEPTH = 1000;

  private static final byte[] NULL = toAscii("null");

  private final byte[] input;
  private final int end;
  private final JsonBuffer output;
  private int position;

  private NullMemberRemover(BytesRef in) {
    this.input = in.bytes;
    this.position = in.offset;
    this.end = in.offset + in.length;
    this.output = new JsonBuffer(in.length);
  }

  /** Returns a document without its null members. */
  static BytesReference removeNulls(BytesReference document) {
    if (document.length() == 0 || document.get(0) != '{') {
      return document;
    }
    BytesRef bytes = document.toBytesRef();
    if (!containsNull(bytes)) {
      return document;
    }
    NullMemberRemover scan = new NullMemberRemover(bytes);
    boolean whole = scan.copyObject(0);
    scan.skipWhitespace();
    return whole && scan.position == scan.end
        ? new BytesArray(scan.output.bytes(), 0, scan.output.length())
        : document;
  }

  private static boolean containsNull(BytesRef bytes) {
    int last = bytes.offset + bytes.length - NULL.length;
    for (int i = bytes.offset; i <= last; i++) {
      if (bytes.bytes[i] == 'n' && isNull(bytes.bytes, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNull(byte[] bytes, int from) {
    return bytes[from] == 'n'
        && bytes[from + 1] == 'u'
        && bytes[from + 2] == 'l'
        && bytes[from + 3] == 'l';
  }

  /** Copies an object without its null members; returns false if the input is malformed. */
  private boolean copyObject(int depth) {
    position++;
    output.write('{');
    boolean first = true;
    for (boolean more = !skipIfClosed('}'); more; ) {
      int key = position;
      if (!skipString()) {
        return false;
      }
      int keyEnd = position;
      skipWhitespace();
      if (position == end || input[position++] != ':') {
        return false;
      }
      skipWhitespace();
      if (end - position >= NULL.length && isNull(input, position)) {
        position += NULL.length;
      } else {
        if (!first) {
          output.write(',');
        }
        first = false;
        output.write(input, key, keyEnd - key);
        output.write(':');
        if (!copyValue(depth)) {
          return false;
        }
      }
      Boolean again = hasNext('}');
      if (again == null) {
        return false;
      }
      more = again;
    }
    output.write('}');
    return true;
  }

  private boolean copyArray(int depth) {
    position++;
    output.write('[');
    for (boolean more = !skipIfClosed(']'); more; ) {
      if (!copyValue(depth)) {
        return false;
      }
      Boolean again = hasNext(']');
      if (again == null) {
        return false;
      }
      more = again;
      if (more) {
        output.write(',');
      }
    }
    output.write(']');
    return true;
  }

  /** Skips the closing character if it comes next; returns true if it did. */
  private boolean skipIfClosed(char by) {
    skipWhitespace();
    if (position < end && input[position] == by) {
      position++;
      return true;
    }
    return false;
  }

  /** Skips a comma (true) or the closing character (false); returns null for any other input. */
  private @Nullable Boolean hasNext(char close) {
    skipWhitespace();
    if (position == end) {
      return null;
    }
    byte next = input[position++];
    if (next == ',') {
      skipWhitespace();
      return true;
    }
    return next == close ? false : null;
  }

  private boolean copyValue(int depth) {
    if (position == end || depth == MAX_DEPTH) {
      return false;
    }
    int from = position;
    switch (input[position]) {
      case '{' -> {
        return copyObject(depth + 1);
      }
      case '[' -> {
        return copyArray(depth + 1);
      }
      case '"' -> {
        if (!skipString()) {
          return false;
        }
      }
      default -> {
        while (position < end && !isValueEnd(input[position])) {
          position++;
        }
      }
    }
    output.write(input, from, position - from);
    return position > from;
  }

  private static boolean isValueEnd(byte b) {
    return b == ',' || b == '}' || b == ']' || isWhitespace(b);
  }

  private boolean skipString() {
    if (position == end || input[position] != '"') {
      return false;
    }
    position++;
    while (position < end) {
      byte b = input[position++];
      if (b == '"') {
        return true;
      }
      if (b == '\\') {
        position++;
      }
    }
    return false;
  }

  private void skipWhitespace() {
    while (position < end && isWhitespace(input[position])) {
      position++;
    }
  }

  private static boolean isWhitespace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
