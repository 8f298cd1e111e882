package dev.weir.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that is read by paths of names; an empty path means the value itself, and a missing
 * value is an empty one. Members and elements that are null count as missing. OpenSearch writes
 * many numbers and booleans as text, so both forms count. Immutable once it is read.
 *
 * @param value maps in the order of the text, lists, text, numbers and booleans; null if missing
 */
public record JsonTree(@Nullable Object value) {
  /** A value that is missing. */
  public static final JsonTree MISSING = new JsonTree(null);

  /** Returns the value at a path. */
  public JsonTree child(String... path) {
    Object found = value;
    for (String name : path) {
      found = found instanceof Map<?, ?> members ? members.get(name) : null;
    }
    return new JsonTree(found);
  }

  /** Returns whether there is no value. */
  public boolean isMissing() {
    return value == null;
  }

  /** Returns the text, number or boolean at a path as text, a list with commas; empty for none. */
  public String text(String... path) {
    Object found = child(path).value;
    if (found instanceof List<?>) {
      return String.join(",", texts(path));
    }
    return found == null ? "" : found.toString();
  }

  /** Returns the number at a path; 0 for none. */
  public double number(String... path) {
    try {
      return switch (child(path).value) {
        case Number number -> number.doubleValue();
        case String text -> Double.parseDouble(text);
        case null, default -> 0;
      };
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Returns the value as a whole number; the given one if it is none. */
  public long toLong(long other) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    try {
      return value instanceof String text ? Long.parseLong(text) : other;
    } catch (NumberFormatException e) {
      return other;
    }
  }

  /** Returns whether the value at a path is true. */
  public boolean isTrue(String... path) {
    return text(path).equals("true");
  }

  /** Returns the elements of the list at a path, as they are; none if it is no list. */
  public List<Object> items(String... path) {
    return child(path).value instanceof List<?> list ? List.copyOf(list) : List.of();
  }

  /** Returns the elements of the list at a path; none if it is no list. */
  public List<JsonTree> children(String... path) {
    return items(path).stream().map(JsonTree::new).toList();
  }

  /** Returns the elements of the list at a path as text; none if it is no list. */
  public List<String> texts(String... path) {
    return children(path).stream().map(JsonTree::text).toList();
  }

  /** Returns the members of an object in their order, as they are; none if it is no object. */
  public Map<String, Object> members() {
    Map<String, Object> found = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> members) {
      members.forEach((name, member) -> found.put(String.valueOf(name), member));
    }
    return found;
  }

  /** Visits the members of an object in their order. */
  public void forEachMember(BiConsumer<String, JsonTree> visitor) {
    if (value instanceof Map<?, ?> members) {
      members.forEach((name, member) -> visitor.accept(String.valueOf(name), new JsonTree(member)));
    }
  }

  /** Returns the members of an object as text by name. */
  public Map<String, String> memberTexts() {
    Map<String, String> texts = new LinkedHashMap<>();
    forEachMember((name, member) -> texts.put(name, member.text()));
    return texts;
  }
}
