package dev.weir.bench.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The failed tests in an output of {@code h2spec}, each named by its section and number, such as
 * {@code http2/5.1/12}.
 */
final class H2SpecFailures {
  /** Why the gateway does not do what a test asks for; docs/checks.md explains it. */
  private static final Map<String, String> EXPECTED =
      Map.of(
          "http2/3.5/2", "the port serves HTTP/1.1 too, and answers what is no HTTP/2 with 400",
          "http2/5.1/6", "the stream is reset, with a code that Netty chooses",
          "http2/5.1/12", "the stream alone is reset, because frames may cross a reset",
          "http2/5.1.1/2", "the stream alone is reset, because frames may cross a reset");

  private static final Pattern PART = Pattern.compile("\\S.*");
  private static final Pattern SECTION = Pattern.compile("\\s+(\\d+(?:\\.\\d+)*)\\. .*");
  private static final Pattern TEST = Pattern.compile("\\s+\u00d7 (\\d+): .*");

  private H2SpecFailures() {}

  /** Returns the failed tests, in order. */
  static List<String> parse(String output) {
    List<String> failed = new ArrayList<>();
    int start = output.indexOf("Failures:");
    String part = "";
    String section = "";
    for (String line : start < 0 ? List.<String>of() : output.substring(start).lines().toList()) {
      Matcher heading = SECTION.matcher(line);
      Matcher test = TEST.matcher(line);
      if (test.matches()) {
        failed.add(part + "/" + section + "/" + test.group(1));
      } else if (heading.matches()) {
        section = heading.group(1);
      } else if (PART.matcher(line).matches()) {
        part = partName(line);
      }
    }
    return failed;
  }

  private static String partName(String heading) {
    if (heading.contains("(HTTP/2)")) {
      return "http2";
    }
    return heading.contains("HPACK") ? "hpack" : "generic";
  }

  /** Returns those failed tests that the gateway should pass. */
  static List<String> unexpected(List<String> failed) {
    return failed.stream().filter(test -> !EXPECTED.containsKey(test)).toList();
  }

  /** Returns why the gateway fails a test. */
  static String reason(String test) {
    return EXPECTED.getOrDefault(test, "not expected");
  }
}
