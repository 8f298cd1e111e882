package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The data nodes of a run, the shard copies that they hold, and the clock that they share. */
final class SimulatedCluster {
  final EventSimulator engine;
  final SimulatedNetwork network;

  /** The delays of probes, apart from the others so that probes change no other delay. */
  final SimulatedNetwork probeNetwork;

  final List<SimulatedNode> nodes;
  private final ShardCopy[][] copies;
  private final int copiesPerShard;
  private final int primaryNodes;

  /**
   * Where the copies are.
   *
   * @param primaryNodes this many of the first nodes hold only primaries, which no search goes to
   */
  record Layout(int shards, int copies, int primaryNodes) {}

  SimulatedCluster(
      EventSimulator engine,
      SimulatedNetwork network,
      SimulatedNetwork probeNetwork,
      List<SimulatedNode> nodes,
      Layout layout) {
    this.engine = engine;
    this.network = network;
    this.probeNetwork = probeNetwork;
    this.nodes = nodes;
    copiesPerShard = layout.copies();
    primaryNodes = layout.primaryNodes();
    int searchNodes = nodes.size() - primaryNodes;
    copies = new ShardCopy[layout.shards()][copiesPerShard];
    boolean replicasOnly = primaryNodes > 0;
    for (int shard = 0; shard < layout.shards(); shard++) {
      for (int copy = 0; copy < copiesPerShard; copy++) {
        int node = primaryNodes + (shard + copy) % searchNodes;
        String nodeId = nodes.get(node).id;
        boolean primary = copy == 0 && !replicasOnly;
        copies[shard][copy] = new ShardCopy(nodeId, "s" + shard + nodeId, primary, false, Map.of());
      }
    }
  }

  /** Returns an array with room for the candidates of any shard. */
  ShardCopy[] newCandidates() {
    return new ShardCopy[copiesPerShard];
  }

  /** Returns the indexes of the nodes that answer searches. */
  int[] searchNodeIndexes() {
    return IntStream.range(primaryNodes, nodes.size()).toArray();
  }

  SimulatedNode node(ShardCopy copy) {
    return nodes.get(Integer.parseInt(copy.nodeId(), 1, copy.nodeId().length(), 10));
  }

  /** Writes the available copies of a shard to an array; returns their number. */
  int fillCandidates(SimulatedShardRequest request, ShardCopy[] into) {
    int count = 0;
    for (ShardCopy copy : copies[request.shard]) {
      SimulatedNode node = node(copy);
      if (!node.absent && !request.hasTried(node)) {
        into[count++] = copy;
      }
    }
    return count;
  }
}
