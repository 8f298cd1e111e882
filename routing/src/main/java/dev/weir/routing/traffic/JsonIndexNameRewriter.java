package dev.weir.routing.traffic;

import dev.weir.routing.traffic.BodyIndexRenamer.BodyFormat;
import dev.weir.routing.traffic.BodyIndexRenamer.Sink;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds index names in a piece of JSON by its brackets, replaces them, and forwards everything
 * else. If nodes could read the input in another way, for example with comments, rewriting fails;
 * input that no node accepts is forwarded unchanged. Confined to one thread.
 */
final class JsonIndexNameRewriter {
  /** A longer key is none of those with index names, even with all letters escaped. */
  private static final int MAX_KEY_LENGTH = 64;

  private static final int MAX_NAME_LENGTH = 64 << 10;

  /** The maximum depth of index names. */
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

  /** Returns the first key since the start; empty if there is none yet. */
  String firstKey() {
    return firstKey;
  }

  /** Returns true if nothing has arrived since the start. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Returns why names cannot be replaced; null if they can. */
  @Nullable String failureReason() {
    return failureReason;
  }

  /** Starts another piece of JSON. */
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
   * Rewrites further bytes; in line formats, up to the end of the line.
   *
   * @return the position of the line end, which is not forwarded; {@code to} if it has not arrived
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

  /** Forwards the buffered part of an incomplete name. */
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

  /** Returns true if the next value is an index name. */
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
      String expression = length == MAX_KEY_LENGTH ? null : JsonStringCodec.decode(token, length);
      key[depth] = expression == null ? "?" : expression;
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
      String expression = JsonStringCodec.decode(token, length);
      byte[] became = expression == null ? null : renameBytes(expression);
      if (failureReason != null) {
        return;
      }
      last = Arrays.copyOf(token, length);
      lastName = last;
      lastRenamed = became == null ? quote(last) : became;
    }
    out.write(lastRenamed, 0, lastRenamed.length);
  }

  /** Returns null for a name that stays unchanged. */
  private byte @Nullable [] renameBytes(String expression) {
    IndexRenamer.Result renamed =
        format == BodyFormat.MULTI_SEARCH
            ? renamer.renameExpression(expression)
            : renamer.renameName(expression);
    return switch (renamed) {
      case IndexRenamer.Result.Renamed(String text) ->
          text.equals(expression) ? null : JsonStringCodec.encode(text);
      case IndexRenamer.Result.Impossible(String reason) -> {
        failureReason = reason;
        yield null;
      }
    };
  }

  private static byte[] quote(byte[] expression) {
    byte[] quoted = new byte[expression.length + 2];
    quoted[0] = '"';
    System.arraycopy(expression, 0, quoted, 1, expression.length);
    quoted[expression.length + 1] = '"';
    return quoted;
  }
}
