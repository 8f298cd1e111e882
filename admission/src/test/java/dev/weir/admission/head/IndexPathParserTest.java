package dev.weir.admission.head;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IndexPathParserTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/logs/_search | logs",
        "/logs | logs",
        "//logs/_doc/1 | logs",
        "/a,b,a/_search?index=c | a b",
        "/a%2Cb/_search | a b",
        "/logs-*,-logs-3/_search | logs-*",
        "/_all/_search | *",
        "/_search | *",
        "/_allies/_search | *",
        "/_bulk | *",
        "/ | *",
        "'' | *",
        "/,,/_search | *",
        "/%3Clogs-%7Bnow%2Fd%7D%3E/_search | logs-*",
        "/%3Clogs-%7Bnow%2Fd%7BYYYY%2CMM%7D%7D%3E,b/_search | logs-* b",
        "/%zz/_search | %zz",
        "/a%4/_search | a%4",
        "/gr%C3%B6%C3%9Fe/_search | größe",
        "/remote:logs/_search | remote:logs"
      })
  void readsTheIndicesOfAPath(String uri, String indices) {
    assertThat(String.join(" ", IndexPathParser.parse(uri))).isEqualTo(indices);
  }

  @ParameterizedTest
  @CsvSource({
    "logs-*, logs-1, true",
    "logs-*, logs, false",
    "logs-*, *, true",
    "logs-*, lo*-2, true",
    "logs-*, *x, true",
    "logs-*, shop*, false",
    "a*b, ab, true",
    "a*b, a*c, false",
    "*a*, b*b, true",
    "a, a, true",
    "a, ab, false",
    "**, a, true"
  })
  void findsWhetherTwoPatternsMeet(String one, String other, boolean meet) {
    assertThat(GlobPatterns.canOverlap(one, other)).isEqualTo(meet);
    assertThat(GlobPatterns.canOverlap(other, one)).isEqualTo(meet);
  }

  @Test
  void patternsMeetInTheNamesThatBothMatch() {
    Random random = new Random(7);
    for (int round = 0; round < 3000; round++) {
      String one = text(random, "ab*", 5);
      String other = text(random, "ab*", 5);
      boolean some = false;
      for (int n = 0; n < 1 << 9 && !some; n++) {
        String name = Integer.toBinaryString(n | 1 << 9).substring(1 + n % 10);
        String spelled = name.replace('0', 'a').replace('1', 'b');
        some = matches(one, spelled) && matches(other, spelled);
      }
      if (some) {
        assertThat(GlobPatterns.canOverlap(one, other)).as(one + " " + other).isTrue();
      }
      String name = text(random, "ab", 6);
      assertThat(GlobPatterns.canOverlap(one, name))
          .as(one + " " + name)
          .isEqualTo(matches(one, name));
    }
  }

  private static boolean matches(String pattern, String name) {
    return name.matches(pattern.replace("*", ".*"));
  }

  private static String text(Random random, String letters, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  @Test
  void parseAnyPath() {
    Random random = new Random(8);
    for (int round = 0; round < 5000; round++) {
      assertThat(IndexPathParser.parse(text(random, "/,%<>{}-_*a2C?", 30))).isNotEmpty();
    }
  }
}
