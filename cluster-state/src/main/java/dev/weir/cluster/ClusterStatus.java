package dev.weir.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The status of following one cluster, for people and probes.
 *
 * @param cluster the followed cluster; null before the first state was read
 * @param position the term and version of the newest view
 * @param age the time since a node last confirmed the newest view
 * @param unknownParts names of the state's parts that were left out because the gateway does not
 *     know them; empty if the state was read as a whole
 * @param nodes the node counts
 * @param errors the current errors
 */
public record ClusterStatus(
    @Nullable Identity cluster,
    StatePosition position,
    Duration age,
    Set<String> unknownParts,
    Nodes nodes,
    Errors errors) {

  /**
   * The identity of a cluster.
   *
   * @param name its name
   * @param uuid its permanent id
   */
  public record Identity(String name, String uuid) {}

  /**
   * The known nodes.
   *
   * @param known the number of nodes in the newest view
   * @param connected the number of these that are connected
   * @param hasClusterManager whether the newest view has an elected cluster manager
   */
  public record Nodes(int known, int connected, boolean hasClusterManager) {}

  /**
   * The current errors.
   *
   * @param lastError the error of the latest attempt to read the state; null if it succeeded
   * @param rejectedSeeds addresses of seeds that belong to another cluster, with a description of
   *     that cluster
   */
  public record Errors(@Nullable String lastError, Map<String, String> rejectedSeeds) {}

  /** Returns whether there is a view to work with, however old. */
  public boolean isUsable() {
    return cluster != null;
  }
}
