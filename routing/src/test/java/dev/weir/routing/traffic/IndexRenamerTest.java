package dev.weir.routing.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.routing.traffic.IndexRenamer.Result;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IndexRenamerTest {
  private static final IndexRenamer RENAME =
      rename("old", "new", "logs-*", "logs-v2-*", "*-x", "x-*");

  private static IndexRenamer rename(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return new IndexRenamer(map);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/logs-1/_search?q=logs-1 /logs-v2-1/_search?q=logs-1",
        "/logs-1 /logs-v2-1",
        "//logs-1?pretty //logs-v2-1?pretty",
        "/old/_doc/logs-1 /new/_doc/logs-1",
        "/older/_doc/1 /older/_doc/1",
        "/a-x/_count /x-a/_count",
        "/logs-x/_count /logs-v2-x/_count",
        "/logs-1,other,old/_search /logs-v2-1,other,new/_search",
        "/logs-1%2Cold/_search /logs-v2-1,new/_search",
        "/other%2Cnone/_search /other%2Cnone/_search",
        "/logs-2024-*,-logs-2024-12/_search /logs-v2-2024-*,-logs-v2-2024-12/_search",
        "/logs-*/_search /logs-v2-*/_search",
        "/_all/_search /_all/_search",
        "/*/_search /*/_search",
        "/*,-old/_search /*,-new/_search",
        "/_bulk /_bulk",
        "/_cat/indices/logs-* /_cat/indices/logs-*",
        "/ /",
        "/?pretty /?pretty",
        "/far:logs-1/_search /far:logs-1/_search",
        "/%3Clogs-%7Bnow%2Fd%7D%3E/_search /%3Clogs-v2-%7Bnow%2Fd%7D%3E/_search",
        "/%3Clogs-%7Bnow%2Fd%7Byyyy,MM%7D%7D%3E,old/_doc"
            + " /%3Clogs-v2-%7Bnow%2Fd%7Byyyy,MM%7D%7D%3E,new/_doc",
        "/%3Cb-%7Bnow%7D-y%3E/_doc /%3Cb-%7Bnow%7D-y%3E/_doc",
        "/logs-%C3%A4/_doc /logs-v2-%C3%A4/_doc",
        "/logs-%zz/_doc /logs-%zz/_doc",
        "/logs-%%/_doc /logs-v2-%25/_doc",
        "/logs-1&2/_doc /logs-v2-1%262/_doc",
      })
  void renamesTheIndicesOfAPath(String before, String after) {
    assertThat(RENAME.renameUri(before)).isEqualTo(new Result.Renamed(after));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/_bulk?index=old /_bulk?index=new",
        "/_bulk?refresh&index=old&pretty /_bulk?refresh&index=new&pretty",
        "/_bulk?refresh;index=old;pretty /_bulk?refresh;index=new;pretty",
        "/_bulk?%69nd%65x=%6Fld /_bulk?%69nd%65x=new",
        "/_bulk?==index=old /_bulk?==index=new",
        "/_bulk?index=other&index=old /_bulk?index=other&index=new",
        "/_bulk?index=old&index=logs-1 /_bulk?index=new&index=logs-v2-1",
        "/_bulk/stream?index=old /_bulk/stream?index=new",
        "/_search?index=logs-1,other,-old /_search?index=logs-v2-1,other,-new",
        "/_search?index=logs-1%2Cold&q=old /_search?index=logs-v2-1,new&q=old",
        "/_count?index=logs-2024-* /_count?index=logs-v2-2024-*",
        "/_msearch?index=other%2Cnone /_msearch?index=other%2Cnone",
        "/_mget?index=%3Clogs-%7Bnow%2Fd%7D%3E /_mget?index=%3Clogs-v2-%7Bnow%2Fd%7D%3E",
        "/_bulk?index=logs-%26x%3D1%3B%23%2B%25 /_bulk?index=logs-v2-%26x%3D1%3B%23%2B%25",
        "/_bulk?index=logs-1+2 /_bulk?index=logs-v2-1%202",
        "/_bulk?index=logs-%zz /_bulk?index=logs-%zz",
        "/_bulk?index=logs-%C3%A4 /_bulk?index=logs-v2-%C3%A4",
        "/?index=old /?index=new",
        "?index=old ?index=new",
        "/_bulk?index= /_bulk?index=",
        "/_bulk?index /_bulk?index",
        "/_bulk? /_bulk?",
        "/_bulk?indexes=old&Index=old&_index=old /_bulk?indexes=old&Index=old&_index=old",
        "/_bulk?q=index=old /_bulk?q=index=old",
        "/_bulk?pretty#&index=old /_bulk?pretty#&index=old",
        "/_bulk?in%%64ex=old /_bulk?in%%64ex=old",
        "/other/_search?index=old /other/_search?index=old",
        "/old/_bulk?index=old /new/_bulk?index=old",
      })
  void renamesTheIndicesOfAQueryWhereThePathNamesNone(String before, String after) {
    assertThat(RENAME.renameUri(before)).isEqualTo(new Result.Renamed(after));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/_mget?source=%7B%7D true",
        "/_mget?%73ource=%7B%7D true",
        "/_mget?a;sourc%65=%7B%7D true",
        "/_mget?source true",
        "/_mget?_source=a&q=source= false",
        "/_mget false",
      })
  void findsParametersHoweverTheyAreEncoded(String uri, boolean there) {
    assertThat(QueryParameters.has(uri, "source")).isEqualTo(there);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/log*/_search log*",
        "/_bulk?index=log* log*",
        "/_search?x=y;%69ndex=o%2A&pretty o*",
        "/o*/_search o*",
        "/other,l*1/_search l*1",
        "/*,-l*/_search l*",
        "/*-*/_search *-*",
        "/%3Cb-%7Bnow%7D%3E/_doc <b-{now}>",
        "/%3C%7Bnow%7D-x-%7Bnow%7D%3E,%3C%7Bnow%7D-x%3E/_search <{now}-x-{now}>",
      })
  void saysWhatCantBeSaid(String uri, String what) {
    assertThat(RENAME.renameUri(uri))
        .isInstanceOfSatisfying(
            Result.Impossible.class,
            impossible -> assertThat(impossible.reason()).startsWith("got " + what + ", of which"));
  }

  @Test
  void rejectAWildcardThatAnEarlierPatternOverlaps() {
    IndexRenamer rename = rename("logs-2024", "archive", "logs-*", "logs-v2-*");
    assertThat(rename.renameUri("/logs-2024/_doc")).isEqualTo(new Result.Renamed("/archive/_doc"));
    assertThat(rename.renameUri("/logs-2023*/_doc"))
        .isEqualTo(new Result.Renamed("/logs-v2-2023*/_doc"));
    assertThat(rename.renameUri("/logs-20*/_doc")).isInstanceOf(Result.Impossible.class);
  }

  @Test
  void renameNothingWithoutPatterns() {
    assertThat(IndexRenamer.NONE.isEmpty()).isTrue();
    assertThat(IndexRenamer.NONE.renameUri("/a%2Cb/_search"))
        .isEqualTo(new Result.Renamed("/a%2Cb/_search"));
    assertThat(IndexRenamer.NONE.renameExpression("a,b")).isEqualTo(new Result.Renamed("a,b"));
    assertThat(RENAME.renameExpression("old,-logs-1"))
        .isEqualTo(new Result.Renamed("new,-logs-v2-1"));
  }

  /** A request may name thousands of patterns, and is renamed on its event loop. */
  @Test
  void readAPatternOfAClientOnceForAllRules() {
    Map<String, String> rules = new LinkedHashMap<>();
    for (int i = 0; i < 50; i++) {
      rules.put("logs-" + i + "-*", "logs-v2-" + i + "-*");
    }
    IndexRenamer rename = new IndexRenamer(rules);
    String patterns = "z*z*,".repeat(13_000) + "z*";
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Result renamed = rename.renameExpression(patterns);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(renamed).isEqualTo(new Result.Renamed(patterns));
    assertThat(allocated).as("bytes, about 500 for each pattern").isLessThan(32L << 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "a*b*c abc true",
        "a*b*c aXbYc true",
        "a*b*c acb false",
        "a**bc**d abcd true",
        "a**bc**d abd false",
        "*b* abc true",
        "*b*b* ab false",
        "*** any true",
        "a*bc*cd abcd false",
      })
  void matchTheTextsBetweenStarsInTheirOrder(String pattern, String name, boolean matches) {
    assertThat(new WildcardPattern(pattern).matches(name)).isEqualTo(matches);
  }

  /** A renamed wildcard matches exactly the new names of what it matched. */
  @Test
  void renameAWildcardToTheSameIndices() {
    Random random = new Random(7);
    int renamed = 0;
    int impossible = 0;
    for (int round = 0; round < 20_000; round++) {
      Map<String, String> rules = new LinkedHashMap<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        String from = text(random, 3);
        boolean star = random.nextBoolean();
        rules.put(star ? star(random, from) : from + "a", star ? "N" + i + "*" : "N" + i);
      }
      IndexRenamer rename = new IndexRenamer(rules);
      String wildcard = star(random, text(random, 3));
      if (wildcard.equals("*")) {
        continue;
      }
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        names.add("a" + text(random, 4));
      }
      switch (rename.renameExpression(wildcard)) {
        case Result.Renamed(String after) -> {
          renamed += after.equals(wildcard) ? 0 : 1;
          for (String name : names) {
            String newName = ((Result.Renamed) rename.renameExpression(name)).text();
            if (matches(wildcard, name)) {
              assertThat(matches(after, newName)).as("%s by %s", wildcard, rules).isTrue();
            }
          }
        }
        case Result.Impossible _ -> impossible++;
      }
    }
    assertThat(renamed).isGreaterThan(100);
    assertThat(impossible).isGreaterThan(100);
  }

  private static boolean matches(String pattern, String name) {
    return Pattern.matches(Pattern.quote(pattern).replace("*", "\\E.*\\Q"), name);
  }

  private static String star(Random random, String text) {
    int at = random.nextInt(text.length() + 1);
    return text.substring(0, at) + "*" + text.substring(at);
  }

  private static String text(Random random, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append("ab-".charAt(random.nextInt(3)));
    }
    return text.toString();
  }
}
