package dev.weir.advice.snapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that is read by names; a missing value is an empty one. OpenSearch writes many
 * numbers and booleans as text, so both forms count. Immutable once it is read.
 *
 * @param value maps, lists, text, numbers and booleans; null if missing
 */
public record JsonFacts(@Nullable Object value) {
  /** A value that is missing. */
  public static final JsonFacts MISSING = new JsonFacts(null);

  /** Returns the value below some names. */
  public JsonFacts at(String... names) {
    Object found = value;
    for (String name : names) {
      found = found instanceof Map<?, ?> members ? members.get(name) : null;
    }
    return new JsonFacts(found);
  }

  /** Returns whether there is no value. */
  public boolean isMissing() {
    return value == null;
  }

  /** Returns the value as text, a list with commas; empty if missing. */
  public String text() {
    if (value instanceof List<?>) {
      return String.join(",", elements().stream().map(JsonFacts::text).toList());
    }
    return value == null ? "" : value.toString();
  }

  /** Returns the value as a number; the given one if it is none. */
  public long number(long other) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    try {
      return value instanceof String text ? Long.parseLong(text) : other;
    } catch (NumberFormatException e) {
      return other;
    }
  }

  /** Returns whether the value is true. */
  public boolean isTrue() {
    return text().equals("true");
  }

  /** Returns the elements of a list; none if it is no list. */
  public List<JsonFacts> elements() {
    List<JsonFacts> elements = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(one -> elements.add(new JsonFacts(one)));
    }
    return elements;
  }

  /** Visits the members of an object in their order. */
  public void forEachMember(BiConsumer<String, JsonFacts> visitor) {
    if (value instanceof Map<?, ?> members) {
      members.forEach(
          (name, member) -> visitor.accept(String.valueOf(name), new JsonFacts(member)));
    }
  }

  /** Returns the members of an object as text by name. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    forEachMember((name, member) -> texts.put(name, member.text()));
    return texts;
  }
}
