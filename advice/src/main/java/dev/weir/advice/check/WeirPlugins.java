package dev.weir.advice.check;

import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.Locale;

/** Which nodes have Weir's plugin. */
public final class WeirPlugins {
  private WeirPlugins() {}

  /** Returns whether a plugin is Weir's: its name, or in development that of its class. */
  static boolean isWeir(String plugin) {
    return plugin.toLowerCase(Locale.ROOT).contains("weir");
  }

  /** Returns whether all nodes have the plugin. */
  public static boolean isOnAllNodes(ClusterSnapshot snapshot) {
    return !snapshot.nodes().isEmpty()
        && snapshot.nodes().stream()
            .allMatch(node -> node.plugins().stream().anyMatch(WeirPlugins::isWeir));
  }
}
