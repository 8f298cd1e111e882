package dev.weir.advice.snapshot;

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
 * Reads JSON from a stream; of a long list or object one part at a time, so that no response is in
 * memory as a whole. Closes the stream.
 */
final class JsonStreamReader {
  private static final JsonFactory FACTORY = JsonFactory.builder().build();

  private JsonStreamReader() {}

  /** Reads one value. */
  static JsonFacts read(InputStream stream) throws IOException {
    try (JsonParser parser = parser(stream)) {
      return new JsonFacts(value(parser, parser.nextToken()));
    } catch (JacksonException e) {
      throw malformed(e);
    }
  }

  /** Reads an object, member by member. */
  static void forEachMember(InputStream stream, BiConsumer<String, JsonFacts> visitor)
      throws IOException {
    try (JsonParser parser = parser(stream)) {
      expect(parser, JsonToken.START_OBJECT);
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        visitor.accept(name, new JsonFacts(value(parser, parser.nextToken())));
      }
    } catch (JacksonException e) {
      throw malformed(e);
    }
  }

  /** Reads a list, element by element. */
  static void forEachElement(InputStream stream, Consumer<JsonFacts> visitor) throws IOException {
    try (JsonParser parser = parser(stream)) {
      expect(parser, JsonToken.START_ARRAY);
      for (JsonToken next = parser.nextToken();
          next != null && next != JsonToken.END_ARRAY;
          next = parser.nextToken()) {
        visitor.accept(new JsonFacts(value(parser, next)));
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

  private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token)
      throws IOException {
    if (token == null) {
      throw new IOException("the response ended too early");
    }
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
          members.put(name, value(parser, parser.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          elements.add(value(parser, next));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}
