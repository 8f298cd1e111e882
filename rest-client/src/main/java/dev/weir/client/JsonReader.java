package dev.weir.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads JSON; of a long list or object in a stream one part at a time, so that no response is in
 * memory as a whole. Closes the stream.
 */
public final class JsonReader {
  private static final JsonFactory FACTORY = JsonFactory.builder().build();
  private static final int SHOWN_CHARACTERS = 200;

  private JsonReader() {}

  /**
   * Reads an object.
   *
   * @throws IOException if the text is none
   */
  public static JsonTree readObject(String text) throws IOException {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        return new JsonTree(value(parser, JsonToken.START_OBJECT));
      }
    } catch (JacksonException e) {
      throw new IOException(noObject(text), e);
    }
    throw new IOException(noObject(text));
  }

  private static String noObject(String text) {
    return "got "
        + (text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...")
        + " (expected: a JSON object)";
  }

  /** Reads one value. */
  public static JsonTree read(InputStream stream) throws IOException {
    try (JsonParser parser = parser(stream)) {
      return new JsonTree(value(parser, parser.nextToken()));
    } catch (JacksonException e) {
      throw malformed(e);
    }
  }

  /** Reads an object, member by member. */
  public static void forEachMember(InputStream stream, BiConsumer<String, JsonTree> visitor)
      throws IOException {
    try (JsonParser parser = parser(stream)) {
      expect(parser, JsonToken.START_OBJECT);
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        visitor.accept(name, new JsonTree(value(parser, parser.nextToken())));
      }
    } catch (JacksonException e) {
      throw malformed(e);
    }
  }

  /** Reads a list, element by element. */
  public static void forEachElement(InputStream stream, Consumer<JsonTree> visitor)
      throws IOException {
    try (JsonParser parser = parser(stream)) {
      expect(parser, JsonToken.START_ARRAY);
      for (JsonToken next = parser.nextToken();
          next != null && next != JsonToken.END_ARRAY;
          next = parser.nextToken()) {
        visitor.accept(new JsonTree(value(parser, next)));
      }
    } catch (JacksonException e) {
      throw malformed(e);
    }
  }

  private static JsonParser parser(InputStream stream) {
    return FACTORY.createParser(ObjectReadContext.empty(), stream);
  }

  private static void expect(JsonParser parser, JsonToken expected) throws IOException {
    JsonToken first = parser.nextToken();
    if (first != expected) {
      throw new IOException("got " + first + " (expected: " + expected + ")");
    }
  }

  private static IOException malformed(JacksonException cause) {
    return cause.getCause() instanceof IOException failure
        ? failure
        : new IOException("the response is no JSON: " + cause.getOriginalMessage(), cause);
  }

  /** Reads the value that begins with a token; leaves out members and elements that are null. */
  private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token)
      throws IOException {
    if (token == null) {
      throw new IOException("the response ended too early");
    }
    return switch (token) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
          Object member = value(parser, parser.nextToken());
          if (member != null) {
            members.put(name, member);
          }
        }
        yield members;
      }
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          Object element = value(parser, next);
          if (element != null) {
            elements.add(element);
          }
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}
