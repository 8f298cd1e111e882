package dev.weir.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster of data nodes is to be like.
 *
 * @param name the cluster's name
 * @param nodes its nodes; the first that may be manager bootstraps the cluster
 * @param ports where they listen
 * @param folder where their data is kept afterwards too; null for a temporary folder
 * @param usesAotCache whether their JVMs may start from a prepared image, which costs half a minute
 *     once and then saves most of the start time; benchmarks say no, see {@link #withoutAotCache}
 * @param progress gets a line about each step that takes long
 */
public record ClusterSpec(
    String name,
    List<NodeSpec> nodes,
    PortPlan ports,
    @Nullable Path folder,
    boolean usesAotCache,
    Consumer<String> progress) {
  /** Validates and copies the collections. */
  public ClusterSpec {
    nodes = List.copyOf(nodes);
    if (nodes.stream().noneMatch(NodeSpec::isClusterManagerEligible)) {
      throw new IllegalArgumentException(
          "got no node that may be cluster manager (expected: at least one)");
    }
    Set<String> names = nodes.stream().map(NodeSpec::name).collect(Collectors.toSet());
    if (names.size() < nodes.size()) {
      throw new IllegalArgumentException(
          "got node names " + nodes.stream().map(NodeSpec::name).toList() + " (expected: unique)");
    }
  }

  /**
   * Specifies nodes {@code node-1} to {@code node-N} on free ports, in a temporary folder. {@link
   * PluginPlacement} decides which have Weir's plugin: all of them, unless the run of the tests
   * says otherwise.
   */
  public static ClusterSpec ofNodes(int nodes) {
    return ofNodes(nodes, PluginPlacement.ofThisRun());
  }

  /** Specifies the same nodes, with Weir's plugin where a test needs it, whatever the run says. */
  public static ClusterSpec ofNodes(int nodes, PluginPlacement placement) {
    if (nodes < 1) {
      throw new IllegalArgumentException("got " + nodes + " nodes (expected: at least 1)");
    }
    return new ClusterSpec(
        "weir-test",
        IntStream.range(0, nodes).mapToObj(i -> node(i, placement.isOn(i, nodes))).toList(),
        PortPlan.ANY_FREE,
        null,
        true,
        line -> {});
  }

  private static NodeSpec node(int index, boolean hasPlugin) {
    NodeSpec node = NodeSpec.of("node-" + (index + 1));
    return hasPlugin ? node : node.withoutPlugins();
  }

  /** Returns a copy with another name. */
  public ClusterSpec withName(String newName) {
    return new ClusterSpec(newName, nodes, ports, folder, usesAotCache, progress);
  }

  /** Returns a copy whose nodes have no plugin, not even Weir's own. */
  public ClusterSpec withoutPlugin() {
    return mapNodes(NodeSpec::withoutPlugins);
  }

  /** Returns a copy with the same change to every node. */
  public ClusterSpec mapNodes(UnaryOperator<NodeSpec> change) {
    List<NodeSpec> changed = nodes.stream().map(change).toList();
    return new ClusterSpec(name, changed, ports, folder, usesAotCache, progress);
  }

  /** Returns a copy with one more node. */
  public ClusterSpec withNode(NodeSpec node) {
    List<NodeSpec> more = Stream.concat(nodes.stream(), Stream.of(node)).toList();
    return new ClusterSpec(name, more, ports, folder, usesAotCache, progress);
  }

  /** Returns a copy with other ports. */
  public ClusterSpec withPorts(PortPlan newPorts) {
    return new ClusterSpec(name, nodes, newPorts, folder, usesAotCache, progress);
  }

  /** Returns a copy that keeps its data in a permanent folder. */
  public ClusterSpec withFolder(Path newFolder) {
    return new ClusterSpec(name, nodes, ports, newFolder, usesAotCache, progress);
  }

  /** Returns a copy whose JVMs start without a start image, as in production. */
  public ClusterSpec withoutAotCache() {
    return new ClusterSpec(name, nodes, ports, folder, false, progress);
  }

  /** Returns a copy that prints its progress. */
  public ClusterSpec withProgress(Consumer<String> newProgress) {
    return new ClusterSpec(name, nodes, ports, folder, usesAotCache, newProgress);
  }
}
