package dev.weir.advice.snapshot;

import dev.weir.client.settings.LayeredSettings;
import java.util.List;
import java.util.Map;

/**
 * A cluster and its traffic as they were read. Immutable.
 *
 * @param copies the copies of shards
 * @param votingExclusions names of nodes that may not vote for a cluster manager
 * @param unavailable what could not be read, and why
 */
public record ClusterSnapshot(
    LayeredSettings settings,
    List<NodeFacts> nodes,
    List<IndexFacts> indices,
    ShardCopies copies,
    List<String> votingExclusions,
    TrafficFacts traffic,
    Map<ApiSource, String> unavailable) {
  /** Copies the lists. */
  public ClusterSnapshot {
    nodes = List.copyOf(nodes);
    indices = List.copyOf(indices);
    votingExclusions = List.copyOf(votingExclusions);
    unavailable = Map.copyOf(unavailable);
  }

  /** Returns the nodes that hold shards. */
  public List<NodeFacts> dataNodes() {
    return nodes.stream().filter(NodeFacts::isData).toList();
  }

  /** Returns the open indices. */
  public List<IndexFacts> openIndices() {
    return indices.stream().filter(IndexFacts::open).toList();
  }

  /** Returns the copies of shards. */
  public List<ShardFacts> shards() {
    return copies.all();
  }

  /** Returns the copies that a node has. */
  public List<ShardFacts> shardsOf(String node) {
    return copies.ofNode(node);
  }

  /** Returns the copies of an index, also those on no node. */
  public List<ShardFacts> shardsOfIndex(String index) {
    return copies.ofIndex(index);
  }
}
