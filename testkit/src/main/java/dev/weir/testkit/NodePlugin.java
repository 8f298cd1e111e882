package dev.weir.testkit;

import java.nio.file.Path;
import java.util.List;

/**
 * An OpenSearch plugin that a data node is to load besides the stock modules.
 *
 * @param className the plugin's class, with a constructor that OpenSearch accepts
 * @param classPath what must be added to the node's class path for it; empty for Weir's own plugin
 *     and those of {@code testkit/node}
 */
public record NodePlugin(String className, List<Path> classPath) {
  /** Weir's own plugin, {@code data-node}, as its build left it; what nodes load by default. */
  public static final NodePlugin WEIR = of("dev.weir.node.WeirPlugin");

  /** A cluster-state custom and a query type that nobody else knows. */
  public static final NodePlugin UNKNOWN = of("dev.weir.testkit.node.UnknownPlugin");

  /** Counts searches, and fails them while told to. */
  public static final NodePlugin FAULTS = of("dev.weir.testkit.node.FaultPlugin");

  /** Copies the class path. */
  public NodePlugin {
    classPath = List.copyOf(classPath);
  }

  /** A plugin that is on every node's class path. */
  public static NodePlugin of(String className) {
    return new NodePlugin(className, List.of());
  }
}
