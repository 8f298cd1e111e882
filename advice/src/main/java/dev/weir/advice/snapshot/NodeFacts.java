package dev.weir.advice.snapshot;

import java.util.Map;
import java.util.Set;

/**
 * A node.
 *
 * @param host its address; nodes with the same one share a machine
 * @param plugins without OpenSearch's modules
 */
public record NodeFacts(
    String name,
    String host,
    String version,
    Set<String> roles,
    Map<String, String> attributes,
    Set<String> plugins,
    Memory memory,
    Disk disk) {

  /**
   * Memory of a node; -1 for what it does not tell.
   *
   * @param heapBytes the largest heap
   * @param compressedPointers whether the JVM addresses objects with four bytes
   * @param locked whether the heap can't be swapped out
   * @param machineBytes of the machine, or of the container
   * @param swapBytes that the machine could use
   */
  public record Memory(
      long heapBytes,
      boolean compressedPointers,
      boolean locked,
      long machineBytes,
      long swapBytes) {}

  /**
   * The file systems with a node's data; -1 for what it does not tell.
   *
   * @param totalBytes their size
   * @param availableBytes what is free for the node
   */
  public record Disk(long totalBytes, long availableBytes) {}

  /** Returns whether the node holds shards that are written. */
  public boolean isData() {
    return roles.stream().anyMatch(role -> role.equals("data") || role.startsWith("data_"));
  }

  /** Returns whether the node may be elected. */
  public boolean isManagerEligible() {
    return roles.contains("cluster_manager") || roles.contains("master");
  }
}
