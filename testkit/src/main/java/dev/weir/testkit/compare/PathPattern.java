package dev.weir.testkit.compare;

import java.util.List;

/**
 * Which values of a body are meant: keys and array positions from the root, separated by dots,
 * where {@code *} stands for any one of them and {@code **} for any number, none included. {@code
 * responses.*.took} is the time of each search.
 *
 * @param steps the parts between the dots
 */
public record PathPattern(List<String> steps) {
  /** Copies the steps. */
  public PathPattern {
    steps = List.copyOf(steps);
  }

  /** The pattern that a text writes. */
  public static PathPattern of(String text) {
    return new PathPattern(List.of(text.split("\\.")));
  }

  /** Whether a path is meant. */
  boolean matches(List<String> path) {
    return matches(0, path, 0);
  }

  private boolean matches(int step, List<String> path, int at) {
    if (step == steps.size()) {
      return at == path.size();
    }
    String wanted = steps.get(step);
    if (wanted.equals("**")) {
      return matches(step + 1, path, at) || (at < path.size() && matches(step, path, at + 1));
    }
    return at < path.size()
        && (wanted.equals("*") || wanted.equals(path.get(at)))
        && matches(step + 1, path, at + 1);
  }

  @Override
  public String toString() {
    return String.join(".", steps);
  }
}
