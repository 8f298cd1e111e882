package dev.weir.core.coordinate.batch;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;

/** What the nodes of a cluster can reduce, for all of its searches. Safe on any thread. */
public final class PartialReductionSupport {
  private final NodeCapabilities capabilities;
  private final PartialReductionCounts counts;
  private final MappingComparison mappings = new MappingComparison();

  /** Asks for capabilities when a search needs them. */
  public PartialReductionSupport(NodeCapabilities capabilities, PartialReductionCounts counts) {
    this.capabilities = capabilities;
    this.counts = counts;
  }

  /** Returns the support of nodes that reduce nothing. */
  public static PartialReductionSupport none() {
    return new PartialReductionSupport(NodeCapabilities.NONE, new PartialReductionCounts());
  }

  /** Returns false if no node can reduce a part of results; may return true without such a node. */
  public boolean mayReduce(PartialReduction.Part part) {
    return capabilities.isOnAnyNode(part.capability())
        && capabilities.isOnAnyNode(Capability.SHARD_BATCHES);
  }

  /** Returns whether a node can reduce a part of the results of several shards. */
  public boolean canReduce(String nodeId, PartialReduction.Part part) {
    return capabilities.has(nodeId, part.capability())
        && capabilities.has(nodeId, Capability.SHARD_BATCHES);
  }

  /** Returns what nodes have left out. */
  public PartialReductionCounts counts() {
    return counts;
  }

  /** Returns what compares the mappings of indices. */
  public MappingComparison mappings() {
    return mappings;
  }
}
