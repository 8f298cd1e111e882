package dev.weir.testkit.compare;

import java.util.List;

/**
 * Requests that belong together and run in order.
 *
 * @param name what they are about
 * @param steps the requests
 */
public record ComparisonScenario(String name, List<ComparisonStep> steps) {
  /** Copies the steps. */
  public ComparisonScenario {
    steps = List.copyOf(steps);
  }
}
