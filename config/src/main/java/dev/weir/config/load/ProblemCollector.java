package dev.weir.config.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Collects the problems of one file while it is read. Confined to the reading thread. */
final class ProblemCollector {
  private static final int MAX_PROBLEMS = 100;

  private final String file;
  private final List<String> lines;
  private final List<ConfigurationProblem> problems = new ArrayList<>();

  ProblemCollector(String file, String text) {
    this.file = file;
    this.lines = text.lines().toList();
  }

  void report(Node node, String message, String hint) {
    report(node.getStartMark(), node instanceof ScalarNode ? length(node) : 1, message, hint);
  }

  /** Reports a key, and shows no value of it: what it means is unknown, so it may be a secret. */
  void reportUnknownKey(Node key, String message, String hint) {
    Mark end = key.getEndMark().orElse(null);
    if (problems.size() >= MAX_PROBLEMS || end == null || end.getLine() >= lines.size()) {
      report(key, message, hint);
      return;
    }
    Mark start = key.getStartMark().orElse(end);
    String line = lines.get(end.getLine());
    int shown =
        line.offsetByCodePoints(
            0, Math.min(end.getColumn(), line.codePointCount(0, line.length())));
    problems.add(
        new ConfigurationProblem(
            file,
            start.getLine() + 1,
            start.getColumn() + 1,
            length(key),
            message,
            hint,
            line.substring(0, shown) + (shown < line.length() ? ": ..." : "")));
  }

  /** Returns the length of a value's text on its first line. */
  private static int length(Node node) {
    Mark start = node.getStartMark().orElse(null);
    Mark end = node.getEndMark().orElse(null);
    return start == null || end == null || start.getLine() != end.getLine()
        ? 1
        : Math.max(1, end.getColumn() - start.getColumn());
  }

  void report(Optional<Mark> mark, int length, String message, String hint) {
    if (problems.size() >= MAX_PROBLEMS) {
      return;
    }
    if (mark.isEmpty()) {
      reportForFile(message, hint);
      return;
    }
    int line = mark.get().getLine();
    String excerpt = line < lines.size() ? lines.get(line) : "";
    problems.add(
        new ConfigurationProblem(
            file, line + 1, mark.get().getColumn() + 1, length, message, hint, excerpt));
  }

  void reportForFile(String message, String hint) {
    problems.add(new ConfigurationProblem(file, 0, 0, 1, message, hint, ""));
  }

  boolean isEmpty() {
    return problems.isEmpty();
  }

  List<ConfigurationProblem> sorted() {
    return problems.stream()
        .sorted(
            Comparator.comparingInt(ConfigurationProblem::line)
                .thenComparingInt(ConfigurationProblem::column))
        .toList();
  }

  LoadResult.Invalid toInvalid() {
    return new LoadResult.Invalid(sorted(), FileReferences.NONE);
  }
}
