package dev.weir.config.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Gathers the problems of one file while it is read. Confined to the reading thread. */
final class Problems {
  private static final int MOST = 100;

  private final String file;
  private final List<String> lines;
  private final List<Problem> found = new ArrayList<>();

  Problems(String file, String text) {
    this.file = file;
    this.lines = text.lines().toList();
  }

  void at(Node node, String message, String hint) {
    at(node.getStartMark(), node instanceof ScalarNode ? length(node) : 1, message, hint);
  }

  /** Of what is written on the line on which it begins. */
  private static int length(Node node) {
    Mark start = node.getStartMark().orElse(null);
    Mark end = node.getEndMark().orElse(null);
    return start == null || end == null || start.getLine() != end.getLine()
        ? 1
        : Math.max(1, end.getColumn() - start.getColumn());
  }

  void at(Optional<Mark> mark, int length, String message, String hint) {
    if (found.size() >= MOST) {
      return;
    }
    if (mark.isEmpty()) {
      whole(message, hint);
      return;
    }
    int line = mark.get().getLine();
    String excerpt = line < lines.size() ? lines.get(line) : "";
    found.add(
        new Problem(file, line + 1, mark.get().getColumn() + 1, length, message, hint, excerpt));
  }

  void whole(String message, String hint) {
    found.add(new Problem(file, 0, 0, 1, message, hint, ""));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  List<Problem> inOrder() {
    return found.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }

  LoadResult.Refused refused() {
    return new LoadResult.Refused(inOrder(), FileValues.NONE);
  }
}
