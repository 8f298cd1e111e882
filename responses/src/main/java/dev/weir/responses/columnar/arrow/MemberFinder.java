package dev.weir.responses.columnar.arrow;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.JsonKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the members of objects by their keys in JSON. It first tries the member after the one found
 * last: objects tend to have the same members in the same order. Used by one thread.
 */
final class MemberFinder {
  /** Returned for a key that no member has. */
  static final int UNKNOWN = -1;

  private final List<JsonKey> keys = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final JsonBuffer text = new JsonBuffer(32);
  private int next;

  /** Adds a member; members are numbered from 0. */
  void add(String key) {
    text.clear();
    text.writeQuoted(key);
    keys.add(JsonKey.from(text.bytes(), 0, text.length()));
    numbers.put(key, numbers.size());
  }

  boolean contains(String key) {
    return numbers.containsKey(key);
  }

  /** Starts with the members of another object. */
  void beginObject() {
    next = 0;
  }

  /** Returns the number of the member whose key, with its quotes, is here. */
  int find(byte[] json, int from, int to) {
    if (next < keys.size() && keys.get(next).matchesExactly(json, from, to)) {
      return next++;
    }
    Integer number = numbers.get(textOf(json, from, to));
    if (number == null) {
      return UNKNOWN;
    }
    next = number + 1;
    return number;
  }

  /** Returns the text of a key. */
  String textOf(byte[] json, int from, int to) {
    text.clear();
    text.writeUnquoted(json, from, to);
    return text.toString();
  }
}
