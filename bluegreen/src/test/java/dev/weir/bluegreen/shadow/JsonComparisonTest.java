package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonComparisonTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | 1.0 | true",
        "100 | 1e2 | true",
        "0.1 | 0.10000000000000000001 | false",
        "12345678901234567890 | 12345678901234567890.0 | true",
        "12345678901234567890 | 12345678901234567891 | false",
        "9007199254740993 | 9007199254740992.0 | false",
        "0 | -0.0 | true",
        "1e400 | 1e401 | false",
        "1 | \"1\" | false",
        "null | false | false",
        "[1,2] | [1,2,3] | false",
        "{} | [] | false"
      })
  void numbersAreComparedByTheirValue(String one, String other, boolean same) throws Exception {
    assertThat(JsonComparison.isEqual(read(one), read(other))).isEqualTo(same);
    assertThat(JsonComparison.isEqual(read(other), read(one))).isEqualTo(same);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"a\":}", "1 2", "[1,]", "nul", "'a'", "[NaN]"})
  void whatIsNotOneValueIsUnreadable(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(JsonComparison.MalformedJsonException.class);
  }

  /**
   * Objects are equal regardless of the order of their members, and differ in one changed value.
   */
  @Test
  void randomDocumentsAreFoundEqualAndUnequal() throws Exception {
    Random random = new Random(20260903);
    for (int round = 0; round < 1000; round++) {
      Map<String, Object> tree = object(random, 3);
      String one = text(tree, random);
      String other = text(tree, random);
      assertThat(JsonComparison.isEqual(read(one), read(other))).as("%s%n%s", one, other).isTrue();
      change(tree, random);
      String changed = text(tree, random);
      assertThat(JsonComparison.isEqual(read(one), read(changed)))
          .as("%s%n%s", one, changed)
          .isFalse();
    }
  }

  private static Object read(String text) throws JsonComparison.MalformedJsonException {
    return JsonComparison.parse(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Map<String, Object> object(Random random, int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    int members = 1 + random.nextInt(5);
    for (int i = 0; i < members; i++) {
      object.put("m" + i, value(random, depth - 1));
    }
    return object;
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 7 : 5)) {
      case 0 -> (long) random.nextInt();
      case 1 -> random.nextDouble();
      case 2 -> random.nextBoolean();
      case 3 -> "s" + random.nextInt(1000);
      case 4 -> "null";
      case 5 -> object(random, depth);
      default ->
          IntStream.range(0, random.nextInt(4)).mapToObj(i -> value(random, depth - 1)).toList();
    };
  }

  /** Formats the value as JSON with its members in random order. */
  private static String text(Object value, Random random) {
    return switch (value) {
      case Map<?, ?> object -> {
        List<Map.Entry<?, ?>> members = new ArrayList<>(object.entrySet());
        Collections.shuffle(members, random);
        yield members.stream()
            .map(member -> "\"" + member.getKey() + "\": " + text(member.getValue(), random))
            .collect(Collectors.joining(", ", "{", "}"));
      }
      case List<?> list ->
          list.stream()
              .map(element -> text(element, random))
              .collect(Collectors.joining(",", "[", "]"));
      case String string when string.equals("null") -> "null";
      case String string -> "\"" + string + "\"";
      default -> value.toString();
    };
  }

  private static void change(Map<String, Object> tree, Random random) {
    List<String> names = new ArrayList<>(tree.keySet());
    String name = names.get(random.nextInt(names.size()));
    switch (random.nextInt(3)) {
      case 0 -> tree.remove(name);
      case 1 -> tree.put("new", "null");
      default -> tree.put(name, "changed");
    }
  }
}
