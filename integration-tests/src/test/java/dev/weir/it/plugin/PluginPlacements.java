package dev.weir.it.plugin;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.PluginPlacement;

/** Skips tests that need Weir's plugin on the nodes of the shared cluster. */
public final class PluginPlacements {
  private PluginPlacements() {}

  /** Skips the test, or all of the class before which this runs, unless every node has it. */
  public static void assumeOnAllNodes() {
    PluginPlacement placement = PluginPlacement.ofThisRun();
    assumeTrue(
        placement == PluginPlacement.ALL,
        "needs the plugin on all nodes, and the run has " + placement);
  }
}
