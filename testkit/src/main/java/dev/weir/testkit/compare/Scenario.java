package dev.weir.testkit.compare;

import java.util.List;

/**
 * Requests that belong together and run in order.
 *
 * @param name what they are about
 * @param steps the requests
 */
public record Scenario(String name, List<Step> steps) {
  /** Copies the steps. */
  public Scenario {
    steps = List.copyOf(steps);
  }
}
