package dev.weir.core.reduce;

import static dev.weir.core.reduce.json.PlainJson.ascii;

import dev.weir.core.reduce.json.PlainJson;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Leaves members of JSON objects out whose value is null: {@code {"a":null,"b":[null]}} becomes
 * {@code {"b":[null]}}. Keys stay in order, elements of arrays in their places, all other values as
 * they were written; white space between them goes. What is not a JSON object that it understands
 * stays as it is, as does what has no null.
 */
final class NullMembers {
  /** As deep as OpenSearch reads JSON. */
  private static final int DEEPEST = 1000;

  private static final byte[] NULL = ascii("null");

  private final byte[] in;
  private final int end;
  private final PlainJson out;
  private int at;

  private NullMembers(BytesRef in) {
    this.in = in.bytes;
    this.at = in.offset;
    this.end = in.offset + in.length;
    this.out = new PlainJson(in.length);
  }

  /** A document without its null members. */
  static BytesReference leftOut(BytesReference document) {
    if (document.length() == 0 || document.get(0) != '{') {
      return document;
    }
    BytesRef bytes = document.toBytesRef();
    if (!holdsNull(bytes)) {
      return document;
    }
    NullMembers scan = new NullMembers(bytes);
    boolean whole = scan.object(0);
    scan.space();
    return whole && scan.at == scan.end
        ? new BytesArray(scan.out.bytes(), 0, scan.out.length())
        : document;
  }

  private static boolean holdsNull(BytesRef bytes) {
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

  /** Reads an object and writes what is left of it; false where it is none. */
  private boolean object(int depth) {
    at++;
    out.put('{');
    boolean first = true;
    for (boolean more = !closes('}'); more; ) {
      int key = at;
      if (!string()) {
        return false;
      }
      int keyEnd = at;
      space();
      if (at == end || in[at++] != ':') {
        return false;
      }
      space();
      if (end - at >= NULL.length && isNull(in, at)) {
        at += NULL.length;
      } else {
        if (!first) {
          out.put(',');
        }
        first = false;
        out.put(in, key, keyEnd - key);
        out.put(':');
        if (!value(depth)) {
          return false;
        }
      }
      Boolean again = again('}');
      if (again == null) {
        return false;
      }
      more = again;
    }
    out.put('}');
    return true;
  }

  private boolean array(int depth) {
    at++;
    out.put('[');
    for (boolean more = !closes(']'); more; ) {
      if (!value(depth)) {
        return false;
      }
      Boolean again = again(']');
      if (again == null) {
        return false;
      }
      more = again;
      if (more) {
        out.put(',');
      }
    }
    out.put(']');
    return true;
  }

  /** Whether nothing is in what was opened; its end is read then. */
  private boolean closes(char by) {
    space();
    if (at < end && in[at] == by) {
      at++;
      return true;
    }
    return false;
  }

  /** Whether another one follows, or the end, which is read; null for neither. */
  private @Nullable Boolean again(char close) {
    space();
    if (at == end) {
      return null;
    }
    byte next = in[at++];
    if (next == ',') {
      space();
      return true;
    }
    return next == close ? false : null;
  }

  private boolean value(int depth) {
    if (at == end || depth == DEEPEST) {
      return false;
    }
    int from = at;
    switch (in[at]) {
      case '{' -> {
        return object(depth + 1);
      }
      case '[' -> {
        return array(depth + 1);
      }
      case '"' -> {
        if (!string()) {
          return false;
        }
      }
      default -> {
        while (at < end && !ends(in[at])) {
          at++;
        }
      }
    }
    out.put(in, from, at - from);
    return at > from;
  }

  private static boolean ends(byte b) {
    return b == ',' || b == '}' || b == ']' || isSpace(b);
  }

  private boolean string() {
    if (at == end || in[at] != '"') {
      return false;
    }
    at++;
    while (at < end) {
      byte b = in[at++];
      if (b == '"') {
        return true;
      }
      if (b == '\\') {
        at++;
      }
    }
    return false;
  }

  private void space() {
    while (at < end && isSpace(in[at])) {
      at++;
    }
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
