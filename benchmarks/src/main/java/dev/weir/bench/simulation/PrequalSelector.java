package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Selects as Prequal does (NSDI 2024), for comparison: asks three random nodes with each query for
 * their load, and chooses among the copies by what earlier probes found, see {@link ProbePool}.
 * Probes are messages; a response after 3 ms is dropped. A node answers them even while all its
 * threads are busy, but not during a pause. They cost the nodes nothing here.
 */
final class PrequalSelector implements ReplicaSelector {
  private static final long PROBE_TIMEOUT_NANOS = 3_000_000;

  private final SimulatedCluster cluster;
  private final ProbePool pool;
  private final RandomGenerator random;
  private final int[] nodes;

  PrequalSelector(SimulatedCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
    this.nodes = cluster.searchNodeIndexes();
    this.pool = new ProbePool();
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    shuffle(copies, count);
    List<Integer> candidates = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      candidates.add(cluster.node(copies[i]).index);
    }
    int chosen = candidates.indexOf(pool.choose(candidates, cluster.engine.nowNanos()));
    if (chosen > 0) {
      ShardCopy first = copies[0];
      copies[0] = copies[chosen];
      copies[chosen] = first;
    }
    probe();
  }

  private void shuffle(ShardCopy[] copies, int count) {
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      ShardCopy copy = copies[i];
      copies[i] = copies[other];
      copies[other] = copy;
    }
  }

  private void probe() {
    for (int i = 0; i < Math.min(ProbePool.PROBES_PER_QUERY, nodes.length); i++) {
      int other = i + random.nextInt(nodes.length - i);
      int target = nodes[other];
      nodes[other] = nodes[i];
      nodes[i] = target;
      long sentAt = cluster.engine.nowNanos();
      SimulatedNode node = cluster.nodes.get(target);
      if (!node.absent) {
        cluster.engine.scheduleAfter(delayTo(node), () -> onProbe(node, sentAt));
      }
    }
  }

  private void onProbe(SimulatedNode node, long sentAt) {
    long now = cluster.engine.nowNanos();
    if (now < node.pausedUntil) {
      cluster.engine.schedule(node.pausedUntil, () -> onProbe(node, sentAt));
      return;
    }
    int load = node.load();
    long latency = node.latencyByLoad.median(load);
    cluster.engine.scheduleAfter(
        delayTo(node),
        () -> {
          long received = cluster.engine.nowNanos();
          if (received - sentAt <= PROBE_TIMEOUT_NANOS) {
            pool.add(node.index, load, latency, received);
          }
        });
  }

  private long delayTo(SimulatedNode node) {
    return cluster.probeNetwork.drawDelayNanos() + node.extraNetworkNanos;
  }
}
