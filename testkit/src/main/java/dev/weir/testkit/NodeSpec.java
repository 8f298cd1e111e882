package dev.weir.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a data node is to be like.
 *
 * @param name its name, which must be unique in its cluster
 * @param heap the size of its heap as the JVM's {@code -Xmx} takes it
 * @param roles its roles; null for a stock node's, empty for a coordinating-only node
 * @param settings what else its configuration says; replaces the testkit's own values
 * @param plugins plugins besides the stock modules; Weir's own unless it is {@link #withoutPlugins}
 * @param jvmOptions further options of its JVM
 */
public record NodeSpec(
    String name,
    String heap,
    @Nullable List<String> roles,
    Map<String, String> settings,
    List<NodePlugin> plugins,
    List<String> jvmOptions) {
  /** The heap of a node without a configured one. */
  public static final String DEFAULT_HEAP = "512m";

  private static final String MANAGER_ROLE = "cluster_manager";

  /** Copies the collections. */
  public NodeSpec {
    roles = roles == null ? null : List.copyOf(roles);
    settings = Map.copyOf(settings);
    plugins = List.copyOf(plugins);
    jvmOptions = List.copyOf(jvmOptions);
    HeapSize.megabytes(heap);
  }

  /** A node with a small heap, the roles of a stock node, and Weir's plugin. */
  public static NodeSpec of(String name) {
    List<NodePlugin> plugins = List.of(NodePlugin.WEIR);
    return new NodeSpec(name, DEFAULT_HEAP, null, Map.of(), plugins, List.of());
  }

  /** Returns a copy without any plugin, not even Weir's own. */
  public NodeSpec withoutPlugins() {
    return withOnly();
  }

  /** Returns a copy with these plugins and no others. */
  public NodeSpec withOnly(NodePlugin... exactly) {
    return new NodeSpec(name, heap, roles, settings, List.of(exactly), jvmOptions);
  }

  /** Returns a copy with another heap, such as {@code 640m} or {@code 1g}. */
  public NodeSpec withHeap(String newHeap) {
    return new NodeSpec(name, newHeap, roles, settings, plugins, jvmOptions);
  }

  /** Returns a copy with exactly these roles; none makes it a coordinating-only node. */
  public NodeSpec withRoles(String... newRoles) {
    return new NodeSpec(name, heap, List.of(newRoles), settings, plugins, jvmOptions);
  }

  /** Returns a copy without roles: it only coordinates. */
  public NodeSpec asCoordinatingOnly() {
    return withRoles();
  }

  /** Returns a copy with one more setting. */
  public NodeSpec withSetting(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(key, value);
    return new NodeSpec(name, heap, roles, more, plugins, jvmOptions);
  }

  /**
   * The same in a cluster that keeps a frozen or starved node for five minutes, not for half of
   * one: a test that freezes a node may take long on a slow machine.
   */
  public NodeSpec withSlowFaultDetection() {
    return withSetting("cluster.fault_detection.follower_check.timeout", "60s")
        .withSetting("cluster.fault_detection.follower_check.retry_count", "5")
        .withSetting("cluster.fault_detection.leader_check.timeout", "60s")
        .withSetting("cluster.fault_detection.leader_check.retry_count", "5")
        .withSetting("cluster.follower_lag.timeout", "5m");
  }

  /** Returns a copy with one more plugin. */
  public NodeSpec withPlugin(NodePlugin plugin) {
    List<NodePlugin> more = new ArrayList<>(plugins);
    more.add(plugin);
    return new NodeSpec(name, heap, roles, settings, more, jvmOptions);
  }

  /** Returns a copy with further options of the JVM, which come last. */
  public NodeSpec withJvmOptions(String... options) {
    List<String> more = new ArrayList<>(jvmOptions);
    more.addAll(List.of(options));
    return new NodeSpec(name, heap, roles, settings, plugins, more);
  }

  /** Returns whether the node may be elected cluster manager. */
  boolean isClusterManagerEligible() {
    return roles == null || roles.contains(MANAGER_ROLE);
  }
}
