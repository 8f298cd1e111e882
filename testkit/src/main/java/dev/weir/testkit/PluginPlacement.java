package dev.weir.testkit;

import java.util.Locale;

/**
 * Which nodes of a cluster have Weir's plugin, where a test does not say so itself. The system
 * property {@value #PROPERTY} chooses it for a run of the tests: {@code all}, {@code one} or {@code
 * none}.
 */
public enum PluginPlacement {
  /** Every node, the default. */
  ALL,
  /** The last node alone, so that most shards and usually the cluster manager are on others. */
  ONE,
  /** No node. */
  NONE;

  /** The system property that chooses the placement. */
  public static final String PROPERTY = "weir.it.plugin";

  /**
   * Returns the placement of this run.
   *
   * @throws IllegalArgumentException if the property has another value
   */
  public static PluginPlacement ofThisRun() {
    return parse(System.getProperty(PROPERTY, ""));
  }

  /** Parses a value of the property; an empty one is the default. */
  static PluginPlacement parse(String value) {
    return switch (value) {
      case "", "all" -> ALL;
      case "one" -> ONE;
      case "none" -> NONE;
      default ->
          throw new IllegalArgumentException(
              "got " + PROPERTY + "=" + value + " (expected: all, one or none)");
    };
  }

  /**
   * Returns whether a node has the plugin.
   *
   * @param index the node's place in its cluster, from 0
   * @param nodes how many nodes the cluster has
   */
  boolean isOn(int index, int nodes) {
    return switch (this) {
      case ALL -> true;
      case ONE -> index == nodes - 1;
      case NONE -> false;
    };
  }

  /** Returns the property with this value, as it is given to a run. */
  @Override
  public String toString() {
    return PROPERTY + "=" + name().toLowerCase(Locale.ROOT);
  }
}
