package dev.weir.bluegreen.shadow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads and compares JSON values as trees: maps in the order read, lists, strings, booleans,
 * numbers (Long, BigInteger, BigDecimal), and {@link Null}.
 */
final class JsonComparison {
  private static final JsonFactory FACTORY = JsonFactory.builder().build();

  /** The value {@code null}. */
  enum Null {
    /** The only instance. */
    INSTANCE;

    @Override
    public String toString() {
      return "null";
    }
  }

  /** The bytes are not exactly one JSON value. */
  static final class MalformedJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedJsonException(String message) {
      super(message, null, false, false);
    }
  }

  private JsonComparison() {}

  /** Parses bytes as one value. */
  static Object parse(byte[] bytes) throws MalformedJsonException {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new MalformedJsonException("got nothing (expected: a value)");
      }
      Object value = readValue(parser, first);
      if (parser.nextToken() != null) {
        throw new MalformedJsonException("got a second value (expected: one)");
      }
      return value;
    } catch (JacksonException e) {
      throw new MalformedJsonException(String.valueOf(e.getMessage()));
    }
  }

  private static Object readValue(JsonParser parser, JsonToken token)
      throws MalformedJsonException {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
          members.put(name, readValue(parser, parser.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          elements.add(readValue(parser, next));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT ->
          parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? parser.getBigIntegerValue()
              : (Object) parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> Null.INSTANCE;
      default -> throw new MalformedJsonException("got " + token + " (expected: a value)");
    };
  }

  /** Whether two values are equal: objects regardless of member order, numbers by value. */
  static boolean isEqual(Object one, Object other) {
    return findDifference("", one, other) == null;
  }

  /** Whether two values are equal or both absent. */
  static boolean isSame(@Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return isEqual(one, other);
  }

  /**
   * A path at which two values differ.
   *
   * @param one null if absent
   * @param other null if absent
   */
  record Mismatch(String path, @Nullable Object one, @Nullable Object other) {}

  /**
   * Finds the first path at which two values differ.
   *
   * @return null if they are equal
   */
  static @Nullable Mismatch findDifference(String path, Object one, Object other) {
    if (one instanceof Map<?, ?> members && other instanceof Map<?, ?> others) {
      return findDifference(path, members, others);
    }
    if (one instanceof List<?> elements && other instanceof List<?> others) {
      int both = Math.min(elements.size(), others.size());
      for (int i = 0; i < both; i++) {
        Mismatch place = findDifference(path + "[" + i + "]", elements.get(i), others.get(i));
        if (place != null) {
          return place;
        }
      }
      return elements.size() == others.size()
          ? null
          : new Mismatch(
              path + "[" + both + "]",
              both < elements.size() ? elements.get(both) : null,
              both < others.size() ? others.get(both) : null);
    }
    boolean same =
        (one instanceof Number number && other instanceof Number beside)
            ? compare(number, beside) == 0
            : one.equals(other);
    return same ? null : new Mismatch(path, one, other);
  }

  private static @Nullable Mismatch findDifference(String path, Map<?, ?> one, Map<?, ?> other) {
    for (Map.Entry<?, ?> member : one.entrySet()) {
      String below = path + "." + member.getKey();
      Object beside = other.get(member.getKey());
      if (beside == null) {
        return new Mismatch(below, member.getValue(), null);
      }
      Mismatch place = findDifference(below, member.getValue(), beside);
      if (place != null) {
        return place;
      }
    }
    for (Map.Entry<?, ?> member : other.entrySet()) {
      if (!one.containsKey(member.getKey())) {
        return new Mismatch(path + "." + member.getKey(), null, member.getValue());
      }
    }
    return null;
  }

  private static int compare(Number one, Number other) {
    return (one instanceof Long a && other instanceof Long b)
        ? Long.compare(a, b)
        : toBigDecimal(one).compareTo(toBigDecimal(other));
  }

  private static BigDecimal toBigDecimal(Number number) {
    return switch (number) {
      case BigDecimal decimal -> decimal;
      case BigInteger integer -> new BigDecimal(integer);
      default -> BigDecimal.valueOf(number.longValue());
    };
  }

  /**
   * Whether two numbers differ by at most a share of the larger one.
   *
   * @param share 0 requires equal numbers
   */
  static boolean isNear(Number one, Number other, double share) {
    if (compare(one, other) == 0) {
      return true;
    }
    double a = one.doubleValue();
    double b = other.doubleValue();
    return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));
  }

  /** A member that is an object; null if there is none. */
  @SuppressWarnings("unchecked") // the parser makes no other maps
  static @Nullable Map<String, Object> asObject(@Nullable Object of) {
    return of instanceof Map<?, ?> map ? (Map<String, Object>) map : null;
  }

  /** A member that is an array; null if there is none. */
  @SuppressWarnings("unchecked") // the parser makes no other lists
  static @Nullable List<Object> asArray(@Nullable Object of) {
    return of instanceof List<?> list ? (List<Object>) list : null;
  }
}
