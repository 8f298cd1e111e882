package dev.weir.routing.traffic;

import dev.weir.routing.traffic.BodyIndexRenamer.BodyFormat;
import dev.weir.routing.traffic.BodyIndexRenamer.Sink;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names of indices in a piece of JSON, as far as it follows the brackets, and gives
 * everything on with others in their place. What nodes would read and this does not, such as
 * comments, makes it impossible; what no node reads is given on as it is. Confined to one thread.
 */
final class JsonIndexNameRewriter {
  /** A longer key is none of those that are looked for, even with all its letters escaped. */
  private static final int MAX_KEY_LENGTH = 64;

  private static final int MAX_NAME_LENGTH = 64 << 10;

  /** No name lies deeper. */
  private static final int MAX_DEPTH = 3;

  private enum State {
    /** Between strings. */
    BETWEEN_STRINGS,
    /** A number, true, false or null. */
    LITERAL,
    STRING,
    KEY,
    INDEX_NAME
  }

  private final BodyFormat format;
  private final boolean lines;
  private final IndexRenamer renamer;
  private final boolean[] array = new boolean[MAX_DEPTH + 1];
  private final String[] key = {"", "", "", ""};
  private byte[] token = new byte[MAX_KEY_LENGTH];
  private int length;
  private byte @Nullable [] lastName;
  private byte[] lastRenamed = {};
  private State state = State.BETWEEN_STRINGS;
  private String firstKey = "";
  private int depth;
  private boolean isKeyNext;
  private boolean escaped;
  private boolean isEmpty = true;
  private @Nullable String failureReason;

  JsonIndexNameRewriter(BodyFormat form, IndexRenamer rename) {
    this.format = form;
    this.lines = form != BodyFormat.MULTI_GET;
    this.renamer = rename;
  }

  /** The first key since the start; empty while there is none. */
  String firstKey() {
    return firstKey;
  }

  /** Whether nothing has come since the start. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Why names can't be said; null while they can. */
  @Nullable String failureReason() {
    return failureReason;
  }

  /** What comes next is another piece of JSON. */
  void restart() {
    state = State.BETWEEN_STRINGS;
    firstKey = "";
    depth = 0;
    length = 0;
    isKeyNext = false;
    escaped = false;
    isEmpty = true;
  }

  /**
   * Reads on; in formats of lines, up to the end of the line.
   *
   * @return where the line's end is, which is not given on; {@code to} when it did not come
   */
  int rewrite(byte[] bytes, int from, int to, Sink out) {
    int given = from;
    for (int i = from; i < to; i++) {
      byte c = bytes[i];
      if (lines && c == '\n') {
        flushPartialName(out);
        out.write(bytes, given, i - given);
        return i;
      }
      isEmpty = false;
      switch (state) {
        case BETWEEN_STRINGS, LITERAL -> {
          if (c == '"' && !isKeyNext && isIndexNameExpected()) {
            out.write(bytes, given, i - given);
            begin(State.INDEX_NAME);
          } else if (c == '"') {
            begin(isKeyNext ? State.KEY : State.STRING);
          } else {
            onStructuralByte(c);
          }
        }
        case STRING, KEY, INDEX_NAME -> {
          boolean ends = c == '"' && !escaped;
          escaped = c == '\\' && !escaped;
          if (!ends) {
            buffer(c);
          } else if (state == State.INDEX_NAME) {
            emit(out);
            given = i + 1;
          } else {
            endKey();
          }
        }
      }
      if (failureReason != null) {
        return to;
      }
      if (state == State.INDEX_NAME) {
        given = i + 1;
      }
    }
    out.write(bytes, given, to - given);
    return to;
  }

  /** Gives on what is held of a name that does not end. */
  void flushPartialName(Sink out) {
    if (state == State.INDEX_NAME) {
      out.write(new byte[] {'"'}, 0, 1);
      out.write(token, 0, length);
      state = State.BETWEEN_STRINGS;
    }
  }

  private void begin(State what) {
    state = what;
    length = 0;
    escaped = false;
  }

  private void onStructuralByte(byte c) {
    switch (c) {
      case '{', '[' -> {
        depth++;
        isKeyNext = c == '{' && depth <= MAX_DEPTH;
        if (depth <= MAX_DEPTH) {
          array[depth] = c == '[';
          key[depth] = "";
        }
        state = State.BETWEEN_STRINGS;
      }
      case '}', ']' -> {
        depth = Math.max(0, depth - 1);
        isKeyNext = false;
        state = State.BETWEEN_STRINGS;
      }
      case ',' -> {
        isKeyNext = depth > 0 && depth <= MAX_DEPTH && !array[depth];
        state = State.BETWEEN_STRINGS;
      }
      case ':' -> {
        isKeyNext = false;
        state = State.BETWEEN_STRINGS;
      }
      case ' ', '\t', '\r', '\n' -> state = State.BETWEEN_STRINGS;
      case '/', 0 -> fail("got a comment, or another encoding than UTF-8", "plain JSON");
      default -> {
        if (state == State.BETWEEN_STRINGS && c != 'n' && !isKeyNext && isIndexNameExpected()) {
          fail("got an index that is no text", "its name in quotes");
        }
        state = State.LITERAL;
      }
    }
  }

  private void fail(String got, String expected) {
    failureReason =
        got + " (expected: " + expected + ", as this cluster has its own names of indices)";
  }

  /** Whether the value that comes next is a name of an index. */
  private boolean isIndexNameExpected() {
    return switch (format) {
      case BULK -> depth == 2 && !array[1] && !array[2] && key[2].equals("_index");
      case MULTI_SEARCH ->
          (depth == 1 || (depth == 2 && array[2]))
              && !array[1]
              && (key[1].equals("index") || key[1].equals("indices"));
      case MULTI_GET ->
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

  private void buffer(byte c) {
    if (state == State.STRING || (state == State.KEY && length == MAX_KEY_LENGTH)) {
      return;
    }
    if (c == 0) {
      fail("got another encoding than UTF-8", "plain JSON");
    } else if (length == MAX_NAME_LENGTH) {
      fail("got a name of more than " + MAX_NAME_LENGTH + " bytes", "a shorter one");
    } else {
      if (length == token.length) {
        token = Arrays.copyOf(token, 2 * length);
      }
      token[length++] = c;
    }
  }

  private void endKey() {
    if (state == State.KEY) {
      String said = length == MAX_KEY_LENGTH ? null : JsonStringCodec.decode(token, length);
      key[depth] = said == null ? "?" : said;
      if (depth == 1 && firstKey.isEmpty()) {
        firstKey = key[1].isEmpty() ? "?" : key[1];
      }
    }
    state = State.BETWEEN_STRINGS;
  }

  private void emit(Sink out) {
    state = State.BETWEEN_STRINGS;
    byte[] last = lastName;
    if (last == null || !Arrays.equals(token, 0, length, last, 0, last.length)) {
      String said = JsonStringCodec.decode(token, length);
      byte[] became = said == null ? null : renameBytes(said);
      if (failureReason != null) {
        return;
      }
      last = Arrays.copyOf(token, length);
      lastName = last;
      lastRenamed = became == null ? quote(last) : became;
    }
    out.write(lastRenamed, 0, lastRenamed.length);
  }

  /** Null when it stays as it is. */
  private byte @Nullable [] renameBytes(String said) {
    return switch (renamer.renameExpression(said)) {
      case IndexRenamer.Result.Renamed(String text) ->
          text.equals(said) ? null : JsonStringCodec.encode(text);
      case IndexRenamer.Result.Impossible(String why) -> {
        failureReason = why;
        yield null;
      }
    };
  }

  private static byte[] quote(byte[] said) {
    byte[] quoted = new byte[said.length + 2];
    quoted[0] = '"';
    System.arraycopy(said, 0, quoted, 1, said.length);
    quoted[said.length + 1] = '"';
    return quoted;
  }
}
