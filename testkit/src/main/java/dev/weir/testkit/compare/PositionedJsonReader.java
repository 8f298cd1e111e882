package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads one JSON text strictly (RFC 8259), keeping the position and the spelling of each value. */
final class PositionedJsonReader {
  private static final int MAX_DEPTH = 1_000;

  private final String text;
  private int position;
  private int depth;

  private PositionedJsonReader(String text) {
    this.text = text;
  }

  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed() {
      super(null, null, false, false);
    }
  }

  /** The value, or nothing when the text is no JSON. */
  static Optional<BodyTree> read(String text) {
    PositionedJsonReader reader = new PositionedJsonReader(text);
    try {
      reader.space();
      BodyTree tree = reader.value();
      reader.space();
      return reader.position == text.length() ? Optional.of(tree) : Optional.empty();
    } catch (Malformed no) {
      return Optional.empty();
    }
  }

  private BodyTree value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    };
  }

  private BodyTree object() {
    int start = enter();
    List<BodyTree.Member> members = new ArrayList<>();
    space();
    if (peek() != '}') {
      do {
        space();
        String key = string().unquoted();
        space();
        expect(':');
        space();
        members.add(new BodyTree.Member(key, value()));
        space();
      } while (accept(','));
    }
    expect('}');
    depth--;
    return new BodyTree.ObjectNode(List.copyOf(members), start, position);
  }

  private BodyTree array() {
    int start = enter();
    List<BodyTree> items = new ArrayList<>();
    space();
    if (peek() != ']') {
      do {
        space();
        items.add(value());
        space();
      } while (accept(','));
    }
    expect(']');
    depth--;
    return new BodyTree.ArrayNode(List.copyOf(items), start, position);
  }

  private int enter() {
    if (++depth > MAX_DEPTH) {
      throw new Malformed();
    }
    return position++;
  }

  private BodyTree.ScalarNode string() {
    int start = position;
    expect('"');
    while (peek() != '"') {
      if (text.charAt(position) == '\\') {
        position++;
      }
      if (peek() < ' ') {
        throw new Malformed();
      }
      position++;
    }
    position++;
    return leaf(start);
  }

  private BodyTree.ScalarNode word(String word) {
    if (!text.startsWith(word, position)) {
      throw new Malformed();
    }
    position += word.length();
    return leaf(position - word.length());
  }

  private BodyTree.ScalarNode number() {
    int start = position;
    accept('-');
    if (!accept('0')) {
      digits();
    }
    if (accept('.')) {
      digits();
    }
    if (accept('e') || accept('E')) {
      if (!accept('+')) {
        accept('-');
      }
      digits();
    }
    return leaf(start);
  }

  private void digits() {
    int first = position;
    while (position < text.length()
        && text.charAt(position) >= '0'
        && text.charAt(position) <= '9') {
      position++;
    }
    if (position == first) {
      throw new Malformed();
    }
  }

  private BodyTree.ScalarNode leaf(int start) {
    return new BodyTree.ScalarNode(text.substring(start, position), start, position);
  }

  private void space() {
    while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
      position++;
    }
  }

  private char peek() {
    if (position >= text.length()) {
      throw new Malformed();
    }
    return text.charAt(position);
  }

  private boolean accept(char wanted) {
    if (position < text.length() && text.charAt(position) == wanted) {
      position++;
      return true;
    }
    return false;
  }

  private void expect(char wanted) {
    if (!accept(wanted)) {
      throw new Malformed();
    }
  }
}
