package dev.weir.routing.traffic;

import dev.weir.routing.traffic.BodyRename.Form;
import dev.weir.routing.traffic.BodyRename.Sink;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names of indices in a piece of JSON, as far as it follows the brackets, and gives
 * everything on with others in their place. What nodes would read and this does not, such as
 * comments, makes it impossible; what no node reads is given on as it is. Confined to one thread.
 */
final class NamesInJson {
  /** A longer key is none of those that are looked for, even with all its letters escaped. */
  private static final int LONGEST_KEY = 64;

  private static final int LONGEST_NAME = 64 << 10;

  /** No name lies deeper. */
  private static final int DEEPEST = 3;

  private enum In {
    /** Between strings. */
    PLAIN,
    /** A number, true, false or null. */
    BARE,
    TEXT,
    KEY,
    NAME
  }

  private final Form form;
  private final boolean lines;
  private final IndexRename rename;
  private final boolean[] array = new boolean[DEEPEST + 1];
  private final String[] key = {"", "", "", ""};
  private byte[] token = new byte[LONGEST_KEY];
  private int length;
  private byte @Nullable [] lastSaid;
  private byte[] lastBecame = {};
  private In in = In.PLAIN;
  private String firstKey = "";
  private int depth;
  private boolean keyNext;
  private boolean escaped;
  private boolean empty = true;
  private @Nullable String impossible;

  NamesInJson(Form form, IndexRename rename) {
    this.form = form;
    this.lines = form != Form.DOCUMENTS;
    this.rename = rename;
  }

  /** The first key since the start; empty while there is none. */
  String firstKey() {
    return firstKey;
  }

  /** Whether nothing has come since the start. */
  boolean empty() {
    return empty;
  }

  /** Why names can't be said; null while they can. */
  @Nullable String impossible() {
    return impossible;
  }

  /** What comes next is another piece of JSON. */
  void restart() {
    in = In.PLAIN;
    firstKey = "";
    depth = 0;
    length = 0;
    keyNext = false;
    escaped = false;
    empty = true;
  }

  /**
   * Reads on, up to the end of the line where lines are told apart.
   *
   * @return where the line's end is, which is not given on; {@code to} when it did not come
   */
  int read(byte[] bytes, int from, int to, Sink out) {
    int given = from;
    for (int i = from; i < to; i++) {
      byte c = bytes[i];
      if (lines && c == '\n') {
        giveUp(out);
        out.put(bytes, given, i - given);
        return i;
      }
      empty = false;
      switch (in) {
        case PLAIN, BARE -> {
          if (c == '"' && !keyNext && wanted()) {
            out.put(bytes, given, i - given);
            begin(In.NAME);
          } else if (c == '"') {
            begin(keyNext ? In.KEY : In.TEXT);
          } else {
            structure(c);
          }
        }
        case TEXT, KEY, NAME -> {
          boolean ends = c == '"' && !escaped;
          escaped = c == '\\' && !escaped;
          if (!ends) {
            hold(c);
          } else if (in == In.NAME) {
            give(out);
            given = i + 1;
          } else {
            endKey();
          }
        }
      }
      if (impossible != null) {
        return to;
      }
      if (in == In.NAME) {
        given = i + 1;
      }
    }
    out.put(bytes, given, to - given);
    return to;
  }

  /** Gives on what is held of a name that does not end. */
  void giveUp(Sink out) {
    if (in == In.NAME) {
      out.put(new byte[] {'"'}, 0, 1);
      out.put(token, 0, length);
      in = In.PLAIN;
    }
  }

  private void begin(In what) {
    in = what;
    length = 0;
    escaped = false;
  }

  private void structure(byte c) {
    switch (c) {
      case '{', '[' -> {
        depth++;
        keyNext = c == '{' && depth <= DEEPEST;
        if (depth <= DEEPEST) {
          array[depth] = c == '[';
          key[depth] = "";
        }
        in = In.PLAIN;
      }
      case '}', ']' -> {
        depth = Math.max(0, depth - 1);
        keyNext = false;
        in = In.PLAIN;
      }
      case ',' -> {
        keyNext = depth > 0 && depth <= DEEPEST && !array[depth];
        in = In.PLAIN;
      }
      case ':' -> {
        keyNext = false;
        in = In.PLAIN;
      }
      case ' ', '\t', '\r', '\n' -> in = In.PLAIN;
      case '/', 0 -> refuse("got a comment, or another encoding than UTF-8", "plain JSON");
      default -> {
        if (in == In.PLAIN && c != 'n' && !keyNext && wanted()) {
          refuse("got an index that is no text", "its name in quotes");
        }
        in = In.BARE;
      }
    }
  }

  private void refuse(String got, String expected) {
    impossible =
        got + " (expected: " + expected + ", as this cluster has its own names of indices)";
  }

  /** Whether the value that comes next is a name of an index. */
  private boolean wanted() {
    return switch (form) {
      case BULK -> depth == 2 && !array[1] && !array[2] && key[2].equals("_index");
      case SEARCHES ->
          (depth == 1 || (depth == 2 && array[2]))
              && !array[1]
              && (key[1].equals("index") || key[1].equals("indices"));
      case DOCUMENTS ->
          (depth == 3
                  && !array[1]
                  && array[2]
                  && !array[3]
                  && key[1].equals("docs")
                  && key[3].equals("_index"))
              || (depth == 2
                  && !array[1]
                  && !array[2]
                  && key[1].equals("parameters")
                  && key[2].equals("_index"));
    };
  }

  private void hold(byte c) {
    if (in == In.TEXT || (in == In.KEY && length == LONGEST_KEY)) {
      return;
    }
    if (c == 0) {
      refuse("got another encoding than UTF-8", "plain JSON");
    } else if (length == LONGEST_NAME) {
      refuse("got a name of more than " + LONGEST_NAME + " bytes", "a shorter one");
    } else {
      if (length == token.length) {
        token = Arrays.copyOf(token, 2 * length);
      }
      token[length++] = c;
    }
  }

  private void endKey() {
    if (in == In.KEY) {
      String said = length == LONGEST_KEY ? null : JsonString.read(token, length);
      key[depth] = said == null ? "?" : said;
      if (depth == 1 && firstKey.isEmpty()) {
        firstKey = key[1].isEmpty() ? "?" : key[1];
      }
    }
    in = In.PLAIN;
  }

  private void give(Sink out) {
    in = In.PLAIN;
    byte[] last = lastSaid;
    if (last == null || !Arrays.equals(token, 0, length, last, 0, last.length)) {
      String said = JsonString.read(token, length);
      byte[] became = said == null ? null : renamed(said);
      if (impossible != null) {
        return;
      }
      last = Arrays.copyOf(token, length);
      lastSaid = last;
      lastBecame = became == null ? quoted(last) : became;
    }
    out.put(lastBecame, 0, lastBecame.length);
  }

  /** Null when it stays as it is. */
  private byte @Nullable [] renamed(String said) {
    return switch (rename.expression(said)) {
      case IndexRename.Renamed.As(String text) ->
          text.equals(said) ? null : JsonString.written(text);
      case IndexRename.Renamed.Impossible(String why) -> {
        impossible = why;
        yield null;
      }
    };
  }

  private static byte[] quoted(byte[] said) {
    byte[] quoted = new byte[said.length + 2];
    quoted[0] = '"';
    System.arraycopy(said, 0, quoted, 1, said.length);
    quoted[said.length + 1] = '"';
    return quoted;
  }
}
