package dev.weir.it.deploy;

import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The metrics that a gateway exposes, compared with those that files under {@code deploy/} use.
 *
 * @param labels of each exposed metric
 */
record MonitoredMetrics(Map<String, Set<String>> labels) {
  private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)\\})? \\S+");
  private static final Pattern LABEL = Pattern.compile("(\\w+)(?:=|=~|!=|!~)\"");
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:weir|jvm|process|system)_\\w+)(?:\\{([^}]*)\\})?");
  private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern NAMES_IN_LEGENDS = Pattern.compile("(?:\\{\\{|\\$labels\\.)(\\w+)");

  /** Labels that Prometheus adds to every series. */
  private static final Set<String> PROMETHEUS = Set.of("job", "instance");

  /** Parses the text of a scrape. */
  static MonitoredMetrics of(String scrape) {
    Map<String, Set<String>> labels = new HashMap<>();
    scrape
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(line -> {
          Matcher sample = SAMPLE.matcher(line);
          if (sample.matches()) {
            Set<String> own = labels.computeIfAbsent(sample.group(1), name -> new HashSet<>());
            own.addAll(names(LABEL, sample.group(2)));
          }
        });
    return new MonitoredMetrics(labels);
  }

  private static List<String> names(Pattern pattern, String text) {
    return text == null
        ? List.of()
        : pattern.matcher(text).results().map(result -> result.group(1)).toList();
  }

  /** Returns the metrics that a file of {@code deploy/} uses and the gateway does not expose. */
  List<String> missing(String file) throws IOException {
    Path path = WorkingTree.root().resolve("deploy").resolve(file);
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(path));
    List<String> missing = new ArrayList<>();
    int asked = 0;
    for (Question question : questions(tree).toList()) {
      asked++;
      check(question, missing);
    }
    if (asked == 0) {
      missing.add("got no expression in " + file + " (expected: some)");
    }
    return missing;
  }

  private void check(Question question, List<String> missing) {
    Set<String> there = new HashSet<>(PROMETHEUS);
    Matcher metrics = METRIC.matcher(question.expression());
    while (metrics.find()) {
      MatchResult metric = metrics.toMatchResult();
      Set<String> own = labels.get(metric.group(1));
      if (own == null) {
        missing.add(metric.group(1) + " in " + question.expression());
        continue;
      }
      there.addAll(own);
      for (String label : names(LABEL, metric.group(2))) {
        if (!own.contains(label) && !PROMETHEUS.contains(label)) {
          missing.add(metric.group(1) + "{" + label + "} in " + question.expression());
        }
      }
    }
    Stream.concat(
            names(BY, question.expression()).stream().flatMap(by -> Stream.of(by.split(", "))),
            names(NAMES_IN_LEGENDS, question.legend()).stream())
        .filter(label -> !there.contains(label))
        .forEach(label -> missing.add(label + " in " + question));
  }

  /** An expression, and the text that refers to labels of its result. */
  private record Question(String expression, String legend) {}

  /** Returns all expressions of panels, variables and alerts, and the metric of the autoscaler. */
  private static Stream<Question> questions(Object tree) {
    return switch (tree) {
      case Map<?, ?> map ->
          Stream.concat(
              Stream.of("expr", "query", "metric")
                  .map(map::get)
                  .filter(String.class::isInstance)
                  .map(asked -> new Question((String) asked, legend(map))),
              map.values().stream().flatMap(MonitoredMetrics::questions));
      case List<?> list -> list.stream().flatMap(MonitoredMetrics::questions);
      case null, default -> Stream.empty();
    };
  }

  private static String legend(Map<?, ?> map) {
    return map.get("legendFormat") + " " + map.get("annotations");
  }
}
