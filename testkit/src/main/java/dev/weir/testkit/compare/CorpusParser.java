package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Parses the text that {@link CorpusReader} describes. */
final class CorpusParser {
  private static final String SCENARIO = "==";
  private static final String STEP = "--";
  private static final String INCLUDED = "++";

  private final String name;
  private final UnaryOperator<String> otherFiles;
  private final List<String> lines;
  private final List<ComparisonScenario> scenarios = new ArrayList<>();

  private @Nullable String scenario;
  private final List<ComparisonStep> steps = new ArrayList<>();

  /**
   * A parser of a file.
   *
   * @param name its name, for messages
   * @param text what is in it
   * @param otherFiles the texts of the files beside it, by name
   */
  CorpusParser(String name, String text, UnaryOperator<String> otherFiles) {
    this.name = name;
    this.otherFiles = otherFiles;
    this.lines = text.lines().toList();
  }

  List<ComparisonScenario> scenarios() {
    int at = 0;
    while (at < lines.size()) {
      String line = lines.get(at);
      if (isMarker(line, SCENARIO)) {
        endScenario();
        scenario = line.substring(SCENARIO.length()).strip();
        at++;
      } else if (isMarker(line, STEP)) {
        int end = nextMarker(at + 1);
        addStep(at, end);
        at = end;
      } else if (isMarker(line, INCLUDED)) {
        include(at, line.substring(INCLUDED.length()).strip());
        at++;
      } else if (line.isBlank() || line.startsWith("#")) {
        at++;
      } else {
        throw syntaxError(
            at, "got [" + line + "] (expected: ==, ++, -- or # at the start of the line)");
      }
    }
    endScenario();
    return List.copyOf(scenarios);
  }

  private static boolean isMarker(String line, String marker) {
    return line.equals(marker) || line.startsWith(marker + " ");
  }

  private int nextMarker(int from) {
    int at = from;
    while (at < lines.size()
        && !isMarker(lines.get(at), SCENARIO)
        && !isMarker(lines.get(at), INCLUDED)
        && !isMarker(lines.get(at), STEP)) {
      at++;
    }
    return at;
  }

  private void endScenario() {
    if (scenario != null) {
      scenarios.add(new ComparisonScenario(scenario, steps));
      steps.clear();
    }
  }

  private void include(int marker, String what) {
    if (scenario == null) {
      throw syntaxError(marker, "got ++ (expected: == and the scenario's name first)");
    }
    String[] fileAndScenario = what.split(" ", 2);
    if (fileAndScenario.length < 2) {
      throw syntaxError(marker, "got [" + what + "] after ++ (expected: FILE SCENARIO)");
    }
    String file = fileAndScenario[0];
    ComparisonScenario found =
        new CorpusParser(file, otherFiles.apply(file), otherFiles)
            .scenarios().stream()
                .filter(each -> each.name().equals(fileAndScenario[1].strip()))
                .findFirst()
                .orElseThrow(() -> syntaxError(marker, "got no scenario [" + what + "]"));
    steps.addAll(found.steps());
  }

  private void addStep(int marker, int end) {
    if (scenario == null) {
      throw syntaxError(marker, "got a request (expected: == and the scenario's name first)");
    }
    String options = lines.get(marker).substring(STEP.length()).strip();
    int first = marker + 1;
    while (first < end && lines.get(first).startsWith("#")) {
      first++;
    }
    try {
      StepOptions parsed = StepOptions.parse(options);
      String place = name + ":" + (marker + 1);
      steps.add(parsed.step(place, request(parsed, lines.subList(first, end))));
    } catch (IllegalArgumentException e) {
      throw syntaxError(marker, e.getMessage());
    }
  }

  private static RequestTemplate request(StepOptions options, List<String> block) {
    if (options.raw()) {
      return RequestTemplate.raw(unescape(String.join("", block)));
    }
    String[] first = block.isEmpty() ? new String[0] : block.getFirst().strip().split(" ", 2);
    if (first.length < 2 || !first[1].startsWith("/")) {
      throw new IllegalArgumentException(
          "got "
              + (block.isEmpty() ? "no line" : "[" + block.getFirst() + "]")
              + " after it (expected: METHOD /TARGET)");
    }
    List<String> headers = new ArrayList<>();
    int at = 1;
    while (at < block.size() && !block.get(at).isBlank()) {
      if (block.get(at).indexOf(':') <= 0) {
        throw new IllegalArgumentException(
            "got [" + block.get(at) + "] (expected: a header line or an empty line)");
      }
      headers.add(block.get(at));
      at++;
    }
    List<String> bodyLines = block.subList(Math.min(at + 1, block.size()), block.size());
    String body =
        options.escaped()
            ? unescape(String.join("", bodyLines))
            : String.join("\n", bodyLines).stripTrailing();
    boolean typed =
        headers.stream()
            .anyMatch(each -> each.toLowerCase(Locale.ROOT).startsWith("content-type:"));
    boolean lines = isNdjson(first[1]);
    if (!body.isEmpty() && !typed) {
      headers.add("Content-Type: " + options.contentType(lines));
    }
    if (!body.isEmpty() && lines && !typed && !options.escaped()) {
      body += "\n";
    }
    return RequestTemplate.of(first[0], first[1], headers, body, options.extras());
  }

  private static boolean isNdjson(String target) {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return path.endsWith("/_bulk")
        || path.endsWith("/_msearch")
        || path.endsWith("/_msearch/template");
  }

  /** Decodes {@code \r \n \t \\} and {@code \xNN}. */
  static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char next = text.charAt(at++);
      if (next != '\\') {
        plain.append(next);
        continue;
      }
      char code = at < text.length() ? text.charAt(at++) : ' ';
      switch (code) {
        case 'r' -> plain.append('\r');
        case 'n' -> plain.append('\n');
        case 't' -> plain.append('\t');
        case '\\' -> plain.append('\\');
        case 'x' -> {
          plain.append((char) Integer.parseInt(text, at, at + 2, 16));
          at += 2;
        }
        default ->
            throw new IllegalArgumentException(
                "got the escape \\" + code + " (expected: \\r \\n \\t \\\\ or \\xNN)");
      }
    }
    return plain.toString();
  }

  private IllegalArgumentException syntaxError(int line, @Nullable String problem) {
    return new IllegalArgumentException(name + ":" + (line + 1) + ": " + problem);
  }
}
