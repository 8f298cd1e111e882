package dev.weir.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the gateway stands with its cluster, for people and probes.
 *
 * @param cluster which cluster is followed; null before the first state was read
 * @param position of the newest view
 * @param age since a node last confirmed the newest view
 * @param unknownParts names of the state's parts that had to be left out because the gateway does
 *     not know them; none when it was read whole
 * @param nodes what is known of the nodes
 * @param errors what goes wrong
 */
public record ClusterStatus(
    @Nullable Identity cluster,
    StatePosition position,
    Duration age,
    Set<String> unknownParts,
    Nodes nodes,
    Errors errors) {

  /**
   * Which cluster it is.
   *
   * @param name its name
   * @param uuid the id that it keeps for life
   */
  public record Identity(String name, String uuid) {}

  /**
   * What is known of the nodes.
   *
   * @param known in the newest view
   * @param connected of these
   * @param hasClusterManager whether the newest view has an elected cluster manager
   */
  public record Nodes(int known, int connected, boolean hasClusterManager) {}

  /**
   * What goes wrong.
   *
   * @param lastError of the newest attempt to hear from the cluster; null when it went well
   * @param rejectedSeeds addresses that belong to another cluster, with what was found there
   */
  public record Errors(@Nullable String lastError, Map<String, String> rejectedSeeds) {}

  /** Whether there is a view to work with, however old. */
  public boolean isUsable() {
    return cluster != null;
  }
}
