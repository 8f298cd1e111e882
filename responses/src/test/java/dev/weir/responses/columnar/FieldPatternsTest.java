package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.junit.TestSeed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.opensearch.common.regex.Regex;

class FieldPatternsTest {
  private static final String ALPHABET = "aab.*";

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(8); length > 0; length--) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString();
  }

  private static FieldPatterns document(String[] patterns) {
    return FieldPatterns.ofDocument(patterns, new FieldPatterns.Comparisons());
  }

  /** Compares each pattern with the path, as OpenSearch does. */
  private static boolean isInDocument(String[] patterns, String path) {
    return Arrays.stream(patterns)
        .anyMatch(pattern ->
            Regex.simpleMatch(pattern, path)
                || Regex.simpleMatch(pattern + ".*", path)
                || pattern.startsWith(path + "."));
  }

  @RepeatedTest(50)
  void matchesLikeOpenSearch() {
    long seed = TestSeed.random(FieldPatternsTest.class).nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      String[] patterns =
          IntStream.range(0, random.nextInt(4)).mapToObj(_ -> text(random)).toArray(String[]::new);
      FieldPatterns fields = FieldPatterns.ofFields(List.of(patterns));
      FieldPatterns document = document(patterns);
      for (int i = 0; i < 20; i++) {
        String path = text(random).replace("*", "b");
        assertThat(fields.matches(path))
            .as("%s for %s, seed %s", path, List.of(patterns), seed)
            .isEqualTo(Regex.simpleMatch(patterns, path));
        assertThat(document.matches(path))
            .as("%s in %s, seed %s", path, List.of(patterns), seed)
            .isEqualTo(isInDocument(patterns, path));
      }
    }
  }

  @Test
  void comparesNoNamesWithoutWildcards() {
    List<String> names = IntStream.range(0, 10_000).mapToObj(i -> "o.f" + i).toList();
    FieldPatterns document = document(names.toArray(String[]::new));

    for (String name : names) {
      assertThat(document.matches(name)).isTrue();
      assertThat(document.matches(name + ".below")).isTrue();
      assertThat(document.matches(name + "x")).isFalse();
    }
    assertThat(document.matches("o")).isTrue();
  }

  @Test
  void rejectsTooManyComparisons() {
    String[] patterns =
        IntStream.range(0, 100_000).mapToObj(i -> "p" + i + "*").toArray(String[]::new);
    FieldPatterns fields = document(patterns);

    assertThat(fields.matches("q")).isFalse();
    assertThatThrownBy(() -> IntStream.range(0, 200).forEach(i -> fields.matches("q" + i)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got too many names of fields with [*]");
  }

  @Test
  void countsPositionsWhereATextMayBeAnywhere() {
    List<String> patterns = IntStream.range(0, 5000).mapToObj(i -> "*p" + i + "*x*").toList();
    FieldPatterns fields = FieldPatterns.ofFields(patterns);
    String path = "q".repeat(60);

    assertThat(fields.matches(path)).isFalse();
    assertThatThrownBy(() -> IntStream.range(0, 1000).forEach(i -> fields.matches(path + i)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got too many names of fields with [*]");
  }
}
