package dev.weir.bench.simulation;

import dev.weir.bench.simulation.Scenario.Cluster;
import dev.weir.bench.simulation.Scenario.Load;
import dev.weir.bench.simulation.Scenario.Time;
import java.util.List;

/** Scenarios of three small nodes, as {@code ./weir bench hot-node} has them; and of a cache. */
final class NodeScenarios {
  private static final Cluster THREE = new Cluster(3, 2, 3, 4, 1);
  private static final Costs SHORT = Costs.lognormal(2, 0.5);

  private NodeScenarios() {}

  static List<Scenario> all() {
    return List.of(
        standing("stopped", "one of 3 nodes stands still for 40 ms of every 50", 0.05, 0.8),
        standing("slowed", "one of 3 nodes stands still for 6 ms of every 8", 0.008, 0.75),
        recovering(),
        cache(),
        coldForHeavy());
  }

  private static Scenario standing(String name, String what, double period, double share) {
    return new Scenario(
        name,
        what + "; 16 clients that never rest, over 3 shards",
        THREE,
        Load.closed(16, SHORT).fanOut(3),
        Time.of(3, 20),
        world -> {
          DataNode node = world.nodes.getFirst();
          node.avoided = share > 0.75;
          for (double at = 0; at < 23; at += period) {
            world.at(at, () -> node.pause(share * period));
          }
        });
  }

  /** What a node was like is soon forgotten when it is well again. */
  private static Scenario recovering() {
    return new Scenario(
        "recovering",
        "as stopped, for the first half; then that node is well again",
        THREE,
        Load.closed(16, SHORT).fanOut(3),
        Time.of(3, 20).window(13, 23),
        world -> {
          DataNode node = world.nodes.getFirst();
          node.avoided = true;
          for (double at = 0; at < 13; at += 0.05) {
            world.at(at, () -> node.pause(0.04));
          }
          world.at(13, () -> node.avoided = false);
        });
  }

  /** A copy that keeps answers is worth more to those who ask for the same again. */
  private static Scenario cache() {
    return new Scenario(
        "cache",
        "20000 different searches, the n-th 1/n as often; each of 6 nodes keeps 2000 answers",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.9, Costs.lognormal(20, 0.8)).cached(20_000, 2000),
        Time.of(20, 20),
        world -> {});
  }

  /** A node whose caches are cold is slow for what reads much, and as quick as any for the rest. */
  private static Scenario coldForHeavy() {
    return new Scenario(
        "cold-for-heavy",
        "1 request in 5 costs 10 times as much, and on one of 6 nodes 4 times that; 50 %",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.5, Costs.lognormal(5, 0.5).withHeavy(0.2, 10)),
        Time.of(3, 20),
        world -> world.nodes.getFirst().heavySlowness = 4);
  }
}
