package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads one JSON text strictly (RFC 8259), keeping the position and the spelling of each value. */
final class JsonReader {
  private static final int DEEPEST = 1_000;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed() {
      super(null, null, false, false);
    }
  }

  /** The value, or nothing when the text is no JSON. */
  static Optional<Tree> read(String text) {
    JsonReader reader = new JsonReader(text);
    try {
      reader.space();
      Tree tree = reader.value();
      reader.space();
      return reader.at == text.length() ? Optional.of(tree) : Optional.empty();
    } catch (Malformed no) {
      return Optional.empty();
    }
  }

  private Tree value() {
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

  private Tree object() {
    int start = enter();
    List<Tree.Member> members = new ArrayList<>();
    space();
    if (peek() != '}') {
      do {
        space();
        String key = string().unquoted();
        space();
        expect(':');
        space();
        members.add(new Tree.Member(key, value()));
        space();
      } while (accept(','));
    }
    expect('}');
    depth--;
    return new Tree.Members(List.copyOf(members), start, at);
  }

  private Tree array() {
    int start = enter();
    List<Tree> items = new ArrayList<>();
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
    return new Tree.Items(List.copyOf(items), start, at);
  }

  private int enter() {
    if (++depth > DEEPEST) {
      throw new Malformed();
    }
    return at++;
  }

  private Tree.Leaf string() {
    int start = at;
    expect('"');
    while (peek() != '"') {
      if (text.charAt(at) == '\\') {
        at++;
      }
      if (peek() < ' ') {
        throw new Malformed();
      }
      at++;
    }
    at++;
    return leaf(start);
  }

  private Tree.Leaf word(String word) {
    if (!text.startsWith(word, at)) {
      throw new Malformed();
    }
    at += word.length();
    return leaf(at - word.length());
  }

  private Tree.Leaf number() {
    int start = at;
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
    int first = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == first) {
      throw new Malformed();
    }
  }

  private Tree.Leaf leaf(int start) {
    return new Tree.Leaf(text.substring(start, at), start, at);
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw new Malformed();
    }
    return text.charAt(at);
  }

  private boolean accept(char wanted) {
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
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
