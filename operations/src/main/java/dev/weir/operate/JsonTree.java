package dev.weir.operate;

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
 * A JSON object as maps, lists, text, numbers and booleans; members that are null are left out.
 *
 * @param members in the order of the text
 */
record JsonTree(Map<String, Object> members) {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * Reads an object.
   *
   * @throws OperationException if the text is no JSON object
   */
  static JsonTree parse(String text) throws OperationException {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new OperationException("got " + shorten(text) + " (expected: a JSON object)");
      }
      return new JsonTree(object(parser));
    } catch (JacksonException e) {
      throw new OperationException("got " + shorten(text) + " (expected: a JSON object)", e);
    }
  }

  private static String shorten(String text) {
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }

  private static Map<String, Object> object(JsonParser parser) {
    Map<String, Object> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      Object value = value(parser, parser.nextToken());
      if (value != null) {
        members.put(name, value);
      }
    }
    return members;
  }

  private static @Nullable Object value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<Object> items = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          Object item = value(parser, next);
          if (item != null) {
            items.add(item);
          }
        }
        yield items;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private @Nullable Object at(String... path) {
    Object value = members;
    for (String name : path) {
      if (!(value instanceof Map<?, ?> map)) {
        return null;
      }
      value = map.get(name);
    }
    return value;
  }

  /** The text, number or boolean at a path of names; empty for none. */
  String text(String... path) {
    Object value = at(path);
    return value == null ? "" : value.toString();
  }

  /** The number at a path of names; 0 for none. */
  double number(String... path) {
    return at(path) instanceof Number number ? number.doubleValue() : 0;
  }

  /** The object at a path of names; an empty one for none. */
  JsonTree child(String... path) {
    return of(at(path));
  }

  /** The items of an array at a path of names. */
  List<Object> items(String... path) {
    return at(path) instanceof List<?> list ? List.copyOf(list) : List.of();
  }

  /** The objects of an array at a path of names. */
  List<JsonTree> children(String... path) {
    return items(path).stream().map(JsonTree::of).toList();
  }

  /** The texts of an array at a path of names. */
  List<String> texts(String... path) {
    return items(path).stream().map(Object::toString).toList();
  }

  private static JsonTree of(@Nullable Object value) {
    Map<String, Object> members = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, member) -> members.put(String.valueOf(name), member));
    }
    return new JsonTree(members);
  }
}
