package dev.weir.bench.simulation;

import dev.weir.bench.simulation.SimulationScenario.Cluster;
import dev.weir.bench.simulation.SimulationScenario.Load;
import dev.weir.bench.simulation.SimulationScenario.Time;
import java.util.List;

/** Scenarios with three small nodes, as in {@code ./weir bench hot-node}, and one with a cache. */
final class NodeScenarios {
  private static final Cluster THREE = new Cluster(3, 2, 3, 4, 1);
  private static final ServiceCosts SHORT = ServiceCosts.lognormal(2, 0.5);

  private NodeScenarios() {}

  static List<SimulationScenario> all() {
    return List.of(
        standing("stopped", "one of 3 nodes pauses for 40 ms of every 50", 0.05, 0.8),
        standing("slowed", "one of 3 nodes pauses for 6 ms of every 8", 0.008, 0.75),
        recovering(),
        cache(),
        coldForHeavy());
  }

  private static SimulationScenario standing(
      String name, String what, double period, double share) {
    return new SimulationScenario(
        name,
        what + "; 16 clients in a closed loop over 3 shards",
        THREE,
        Load.closed(16, SHORT).fanOut(3),
        Time.of(3, 20),
        world -> {
          SimulatedNode node = world.nodes().getFirst();
          node.excluded = share > 0.75;
          for (double at = 0; at < 23; at += period) {
            world.schedule(at, () -> node.pause(share * period));
          }
        });
  }

  /** A slow node recovers; the gateway must soon use it again. */
  private static SimulationScenario recovering() {
    return new SimulationScenario(
        "recovering",
        "as stopped, for the first half; then that node is healthy",
        THREE,
        Load.closed(16, SHORT).fanOut(3),
        Time.of(3, 20).window(13, 23),
        world -> {
          SimulatedNode node = world.nodes().getFirst();
          node.excluded = true;
          for (double at = 0; at < 13; at += 0.05) {
            world.schedule(at, () -> node.pause(0.04));
          }
          world.schedule(13, () -> node.excluded = false);
        });
  }

  /** Copies with a cached response are faster for repeated searches. */
  private static SimulationScenario cache() {
    return new SimulationScenario(
        "cache",
        "20000 different searches, the n-th 1/n as often; each of 6 nodes caches 2000 responses",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.9, ServiceCosts.lognormal(20, 0.8)).cached(20_000, 2000),
        Time.of(20, 20),
        world -> {});
  }

  /** A node with cold caches is slow for heavy requests, and as fast as the others for the rest. */
  private static SimulationScenario coldForHeavy() {
    return new SimulationScenario(
        "cold-for-heavy",
        "1 request in 5 costs 10 times as much, and on one of 6 nodes 4 times that; 50 %",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.5, ServiceCosts.lognormal(5, 0.5).withHeavy(0.2, 10)),
        Time.of(3, 20),
        world -> world.nodes().getFirst().heavySlowFactor = 4);
  }
}
