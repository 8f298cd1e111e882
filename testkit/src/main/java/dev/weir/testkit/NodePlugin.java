package dev.weir.testkit;

import java.nio.file.Path;
import java.util.List;

/**
 * An OpenSearch plugin that a data node loads besides the stock modules.
 *
 * @param name the name that the node reports
 * @param className the plugin's class, with a constructor that OpenSearch accepts
 * @param classPath additions to the node's class path; empty for Weir's own plugin and those of
 *     {@code testkit/node}
 */
public record NodePlugin(String name, String className, List<Path> classPath) {
  /** Weir's own plugin, {@code data-node}, as its build left it; what nodes load by default. */
  public static final NodePlugin WEIR = of("dev.weir.node.WeirPlugin");

  /** Another version of Weir's plugin, which announces less, and a capability that is unknown. */
  public static final NodePlugin OTHER_WEIR = of("dev.weir.testkit.node.OtherWeirPlugin");

  /** A cluster-state custom and a query type that only this plugin knows. */
  public static final NodePlugin UNKNOWN = of("dev.weir.testkit.node.UnknownPlugin");

  /** Counts searches, and fails them while enabled. */
  public static final NodePlugin FAULTS = of("dev.weir.testkit.node.FaultPlugin");

  /** Answers 401 to REST requests without an Authorization header; the transport stays open. */
  public static final NodePlugin REST_GUARD = of("dev.weir.testkit.node.RestGuardPlugin");

  /** Copies the class path. */
  public NodePlugin {
    classPath = List.copyOf(classPath);
  }

  /** A plugin that is on every node's class path; a node reports its class as its name. */
  public static NodePlugin of(String className) {
    return new NodePlugin(className, className, List.of());
  }

  /** The argument of a data node's main class for this plugin. */
  String argument() {
    return "--plugin=" + name + ":" + className;
  }
}
