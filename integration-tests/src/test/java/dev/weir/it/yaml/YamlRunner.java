package dev.weir.it.yaml;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs tests of the suite against one base URL, one at a time. */
final class YamlRunner {
  /** The result of a test. */
  sealed interface Outcome {}

  /** Every step passed. */
  record Passed() implements Outcome {}

  /**
   * The test was skipped.
   *
   * @param reason the suite's own reason
   */
  record Skipped(String reason) implements Outcome {}

  /**
   * A step failed.
   *
   * @param step the step as written
   * @param reason the actual and the expected value
   */
  record Failed(String step, String reason) implements Outcome {}

  private static final Set<String> FEATURES =
      Set.of(
          "allowed_warnings",
          "warnings",
          "arbitrary_key",
          "headers",
          "default_shards",
          "contains",
          "stash_in_path",
          "stash_path_replace",
          "embedded_stash_key",
          "yaml",
          "regex",
          "node_selector",
          "close_to",
          "transform_and_set");
  private static final Map<String, int[]> CATCHES =
      Map.of(
          "bad_request", new int[] {400},
          "unauthorized", new int[] {401},
          "forbidden", new int[] {403},
          "missing", new int[] {404},
          "request_timeout", new int[] {408},
          "conflict", new int[] {409},
          "unavailable", new int[] {503});

  private final YamlRestClient caller;
  private final Map<String, ApiSpec> apis;
  private final int[] version;
  private final ClusterWipe wipe;

  /**
   * Creates a runner.
   *
   * @param version the cluster's version, such as 3.8.0, for the suite's skip sections
   */
  YamlRunner(YamlRestClient caller, Map<String, ApiSpec> apis, String version) {
    this.caller = caller;
    this.apis = apis;
    this.version = parts(version);
    this.wipe = new ClusterWipe(caller);
  }

  /** Runs a test and empties the cluster after it. */
  Outcome run(YamlTestCase test) {
    Run run = new Run();
    try {
      Outcome outcome = run.steps(test.setup());
      if (outcome instanceof Passed) {
        outcome = run.steps(test.steps());
      }
      Outcome after = run.steps(test.teardown());
      return outcome instanceof Passed && after instanceof Failed ? after : outcome;
    } finally {
      wipe.run();
    }
  }

  /** The state of one test: the last response and the stored values. */
  private final class Run {
    private final Stash stash = new Stash();
    private YamlRestClient.@Nullable Answer last;
    private boolean failed;

    Outcome steps(List<Map<String, Object>> steps) {
      for (Map<String, Object> step : steps) {
        for (Map.Entry<String, Object> part : step.entrySet()) {
          try {
            String skipped = one(part.getKey(), part.getValue());
            if (skipped != null) {
              return new Skipped(skipped);
            }
          } catch (AssertionError | RuntimeException e) {
            return new Failed(
                part.getKey() + ": " + part.getValue(), String.valueOf(e.getMessage()));
          }
        }
      }
      return new Passed();
    }

    private @Nullable String one(String kind, Object value) {
      if (kind.equals("do")) {
        call(map(value));
        return null;
      }
      if (kind.equals("skip")) {
        return skip(map(value));
      }
      if (kind.equals("is_true") || kind.equals("is_false")) {
        Object found = body((String) value);
        check(YamlAssertions.isTrue(found) == kind.equals("is_true"), (String) value, found, kind);
        return null;
      }
      map(value).forEach((path, expected) -> compare(kind, path, expected));
      return null;
    }

    private void compare(String kind, String path, @Nullable Object rawExpected) {
      if (kind.equals("set")) {
        stash.put(String.valueOf(rawExpected), body(path));
        return;
      }
      if (kind.equals("transform_and_set")) {
        stash.put(path, YamlTransforms.apply(String.valueOf(rawExpected), name -> body(name)));
        return;
      }
      Object actual = body(path);
      Object expected = stash.replace(rawExpected);
      boolean holds =
          switch (kind) {
            case "match" -> YamlAssertions.matches(expected, actual);
            case "length" -> YamlAssertions.length(actual) == (int) YamlAssertions.number(expected);
            case "contains" -> YamlAssertions.contains(actual, expected);
            case "gt" -> YamlAssertions.number(actual) > YamlAssertions.number(expected);
            case "gte" -> YamlAssertions.number(actual) >= YamlAssertions.number(expected);
            case "lt" -> YamlAssertions.number(actual) < YamlAssertions.number(expected);
            case "lte" -> YamlAssertions.number(actual) <= YamlAssertions.number(expected);
            case "close_to" -> closeTo(actual, map(expected));
            default ->
                throw new AssertionError("got the step " + kind + " (expected: a known one)");
          };
      check(holds, path, actual, kind + " " + expected);
    }

    private boolean closeTo(@Nullable Object actual, Map<String, Object> expected) {
      double distance =
          Math.abs(YamlAssertions.number(actual) - YamlAssertions.number(expected.get("value")));
      return distance <= YamlAssertions.number(expected.get("error"));
    }

    private void check(boolean holds, String path, @Nullable Object actual, String expected) {
      if (!holds) {
        String whole = last == null ? "" : last.text();
        throw new AssertionError(
            path + ": got " + actual + " (expected: " + expected + ") in " + abbreviate(whole));
      }
    }

    private @Nullable Object body(String path) {
      String resolved = path.contains("${") ? String.valueOf(stash.replace(path)) : path;
      return YamlAssertions.resolve(last == null ? null : last.body(), resolved, stash);
    }

    private @Nullable String skip(Map<String, Object> skip) {
      Object features = skip.get("features");
      List<String> wanted = new ArrayList<>();
      if (features instanceof List<?> list) {
        list.forEach(feature -> wanted.add(String.valueOf(feature)));
      } else if (features != null) {
        for (String feature : String.valueOf(features).split(",")) {
          wanted.add(feature.strip());
        }
      }
      for (String feature : wanted) {
        if (!FEATURES.contains(feature)) {
          return "feature " + feature;
        }
      }
      Object range = skip.get("version");
      return range != null && inRanges(String.valueOf(range)) ? "version " + range : null;
    }

    private void call(Map<String, Object> step) {
      Map<String, Object> rest = new LinkedHashMap<>(step);
      String expectedError = (String) rest.remove("catch");
      Map<String, String> headers = strings(rest.remove("headers"));
      List<String> warnings = list(rest.remove("warnings"));
      boolean warningsAllowed = rest.remove("allowed_warnings") != null;
      rest.remove("node_selector");
      rest.remove("allowed_warnings_regex");
      rest.remove("warnings_regex");
      String api = rest.keySet().iterator().next();
      Object arguments = rest.get(api);
      if ("param".equals(expectedError) && arguments != null && !fitsAPath(api, map(arguments))) {
        return;
      }
      YamlRestClient.Answer answer =
          call(api, arguments == null ? new HashMap<>() : map(stash.replace(arguments)), headers);
      last = answer;
      if (expectedError == null && failed) {
        throw new AssertionError(
            "got " + answer.status() + " (expected: success) in " + abbreviate(answer.text()));
      }
      if (expectedError != null) {
        checkError(String.valueOf(stash.replace(expectedError)), answer);
      }
      if (!warnings.isEmpty() && !warningsAllowed) {
        Set<String> got = new LinkedHashSet<>(answer.warnings());
        if (!got.equals(new LinkedHashSet<>(warnings))) {
          throw new AssertionError("got warnings " + got + " (expected: " + warnings + ")");
        }
      }
    }

    private boolean fitsAPath(String api, Map<String, Object> arguments) {
      ApiSpec spec = apis.get(api);
      return spec != null && spec.accepts(arguments.keySet());
    }

    private YamlRestClient.Answer call(
        String name, Map<String, Object> arguments, Map<String, String> headers) {
      ApiSpec api = apis.get(name);
      if (api == null) {
        throw new AssertionError("got the API " + name + " (expected: one of the specification)");
      }
      Map<String, Object> rest = new LinkedHashMap<>(arguments);
      Object body = rest.remove("body");
      Object ignored = rest.remove("ignore");
      rest.values().removeIf(value -> value == null);
      ApiSpec.ApiPath path = api.bestPath(rest.keySet());
      String target = path.template();
      for (String part : path.parts()) {
        target = target.replace("{" + part + "}", YamlRestClient.encode(joined(rest.remove(part))));
      }
      Map<String, String> parameters = new LinkedHashMap<>();
      rest.forEach((key, value) -> parameters.put(key, joined(value)));
      YamlRestClient.Answer answer =
          caller.call(
              method(path.methods(), body != null), target, parameters, headers, bodyText(body));
      if (api.isHeadOnly()) {
        failed = answer.status() != 200 && answer.status() != 404;
        return new YamlRestClient.Answer(
            answer.status() == 404 ? 200 : answer.status(),
            answer.status() == 200,
            "",
            answer.warnings());
      }
      failed = answer.status() >= 300 && !joined(ignored).contains("" + answer.status());
      return answer;
    }

    private void checkError(String expected, YamlRestClient.Answer answer) {
      int status = answer.status();
      if (!failed) {
        throw new AssertionError("got " + status + " (expected: error " + expected + ")");
      }
      boolean holds;
      if (YamlAssertions.isRegex(expected)) {
        String pattern = expected.strip().substring(1, expected.strip().length() - 1);
        String whole = answer.text() + "\n" + answer.text().replace("\\\"", "\"");
        holds =
            Pattern.compile(pattern, Pattern.COMMENTS).matcher(whole).find()
                || Pattern.compile(pattern).matcher(whole).find();
      } else if (expected.equals("request")) {
        holds = status >= 400 && status != 400 && status != 404 && status != 409;
      } else if (expected.equals("param")) {
        holds = status == 400;
      } else {
        holds = CATCHES.containsKey(expected) && CATCHES.get(expected)[0] == status;
      }
      if (!holds) {
        throw new AssertionError(
            "got error "
                + status
                + " (expected: "
                + expected
                + ") in "
                + abbreviate(answer.text()));
      }
    }
  }

  private static String method(List<String> methods, boolean hasBody) {
    return hasBody && methods.contains("POST") ? "POST" : methods.getFirst();
  }

  private static @Nullable String bodyText(@Nullable Object body) {
    return switch (body) {
      case null -> null;
      case String text -> text;
      case List<?> lines ->
          lines.stream()
              .map(line -> line instanceof String text ? text.strip() : XContentJson.write(line))
              .collect(Collectors.joining("\n", "", "\n"));
      default -> XContentJson.write(body);
    };
  }

  private static String joined(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case List<?> list -> list.stream().map(String::valueOf).collect(Collectors.joining(","));
      default -> String.valueOf(value);
    };
  }

  private boolean inRanges(String ranges) {
    if (ranges.strip().equals("all")) {
      return true;
    }
    for (String range : ranges.split(",")) {
      String[] ends = range.split("-", -1);
      boolean above = ends[0].isBlank() || compare(version, parts(ends[0].strip())) >= 0;
      boolean below =
          ends.length < 2 || ends[1].isBlank() || compare(version, parts(ends[1].strip())) <= 0;
      if (above && below) {
        return true;
      }
    }
    return false;
  }

  private static int compare(int[] a, int[] b) {
    return Arrays.compare(a, b);
  }

  /** Versions from 5 on are Elasticsearch's, which came before OpenSearch's first. */
  private static int[] parts(String version) {
    String[] split = version.split("[.-]");
    int[] numbers = new int[3];
    for (int i = 0; i < 3 && i < split.length; i++) {
      numbers[i] = Integer.parseInt(split[i]);
    }
    if (numbers[0] >= 5) {
      numbers[0] -= 10;
    }
    return numbers;
  }

  private static String abbreviate(String text) {
    return text.length() > 2000 ? text.substring(0, 2000) + "..." : text;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, Object>) map;
    }
    throw new AssertionError("got " + value + " (expected: a map)");
  }

  private static Map<String, String> strings(@Nullable Object value) {
    Map<String, String> strings = new HashMap<>();
    if (value != null) {
      map(value).forEach((key, inner) -> strings.put(key, String.valueOf(inner)));
    }
    return strings;
  }

  private static List<String> list(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
