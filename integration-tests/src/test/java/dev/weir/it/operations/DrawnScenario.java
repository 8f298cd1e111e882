package dev.weir.it.operations;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.junit.TestSeed;

/**
 * The classes of this package that start nodes and restart them for minutes. A build draws one of
 * them by its seed; {@code -Dweir.suite=all} runs all.
 */
enum DrawnScenario {
  COMMANDS,
  RESUMPTION,
  ZONES;

  /** Skips the class unless it is drawn. */
  void assumeDrawn() {
    boolean isDrawn =
        TestSeed.random(DrawnScenario.class).nextInt(values().length) == ordinal()
            || "all".equals(System.getProperty("weir.suite"));
    assumeTrue(
        isDrawn, "a build draws one of three scenarios of restarts; -Dweir.suite=all runs all");
  }
}
