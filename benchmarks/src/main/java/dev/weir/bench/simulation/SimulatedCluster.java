package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.Map;

/** The data nodes of a run, the shard copies that they hold, and the clock that they share. */
final class SimulatedCluster {
  final EventSimulator engine;
  final SimulatedNetwork network;
  final List<SimulatedNode> nodes;
  private final ShardCopy[][] copies;

  SimulatedCluster(
      EventSimulator engine,
      SimulatedNetwork network,
      List<SimulatedNode> nodes,
      int shards,
      int copiesPerShard) {
    this.engine = engine;
    this.network = network;
    this.nodes = nodes;
    copies = new ShardCopy[shards][copiesPerShard];
    for (int shard = 0; shard < shards; shard++) {
      for (int copy = 0; copy < copiesPerShard; copy++) {
        String nodeId = nodes.get((shard + copy) % nodes.size()).id;
        copies[shard][copy] =
            new ShardCopy(nodeId, "s" + shard + nodeId, copy == 0, false, Map.of());
      }
    }
  }

  /** Returns an array with room for the candidates of any shard. */
  ShardCopy[] newCandidates() {
    return new ShardCopy[copies[0].length];
  }

  SimulatedNode node(ShardCopy copy) {
    return nodes.get(Integer.parseInt(copy.nodeId(), 1, copy.nodeId().length(), 10));
  }

  /** Writes the available copies of a shard to an array; returns their number. */
  int fillCandidates(SimulatedShardRequest request, ShardCopy[] into) {
    int count = 0;
    for (ShardCopy copy : copies[request.shard]) {
      SimulatedNode node = node(copy);
      if ((request.triedCopies >>> node.index & 1) == 0 && !node.absent) {
        into[count++] = copy;
      }
    }
    return count;
  }
}
