package dev.weir.bench.simulation;

import dev.weir.bench.simulation.Scenario.Cluster;
import dev.weir.bench.simulation.Scenario.Load;
import dev.weir.bench.simulation.Scenario.Time;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios in which it is the gateways that are many, unlike, or troubled. */
final class FleetScenarios {
  private static final Costs USUAL = Costs.lognormal(20, 0.8);
  private static final Cluster FIVE = new Cluster(5, 3, 5, 13, 3);

  private FleetScenarios() {}

  static List<Scenario> all() {
    return List.of(
        gatewayPauses(),
        beside("beside-rr", 2, Way.ROUND_ROBIN),
        beside("beside-stock", 2, Way.STOCK),
        beside("beside-many", 20, Way.ROUND_ROBIN, Way.STOCK, Way.STOCK),
        herd());
  }

  /** What comes late because of this process must not be held against the nodes. */
  private static Scenario gatewayPauses() {
    return new Scenario(
        "gateway-pauses",
        "6 equal nodes at 60 %; one gateway itself stands still for 1-2 s every 5 s",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.6, USUAL),
        Time.of(2, 30),
        world -> {
          RandomGenerator random = world.scriptRandom();
          for (int at = 4; at < 32; at += 5) {
            double seconds = 1 + random.nextDouble();
            world.at(at, () -> world.gate(0).pause(seconds));
          }
        });
  }

  /** What their clients see who go to one gateway, while other gateways choose otherwise. */
  private static Scenario beside(String name, int gateways, Way... others) {
    return new Scenario(
        name,
        "one of 5 nodes 3 times slower, 55 %%; only 1 of %d gateways chooses so, others by %s"
            .formatted(1 + others.length, labels(others)),
        FIVE.gateways(gateways, others),
        Load.open(0.55, USUAL),
        Time.of(2, 20),
        world -> world.nodes.getFirst().slowness = 3);
  }

  private static String labels(Way... ways) {
    return String.join(", ", List.of(ways).stream().map(Way::label).distinct().toList());
  }

  /** Many gateways that all see the same at once, after they have seen little for a while. */
  private static Scenario herd() {
    return new Scenario(
        "herd",
        "20 gateways, 50 nodes of which 5 are twice as slow; load jumps from 5 to 80 % each 2 s",
        new Cluster(50, 3, 50, 4, 20),
        Load.open(0.05, Costs.exponential(8)),
        Time.of(1, 12),
        world -> {
          world.nodes.stream().limit(5).forEach(node -> node.slowness = 2);
          for (int at = 2; at < 13; at += 4) {
            world.at(at, () -> world.loadTimes = 16);
            world.at(at + 2, () -> world.loadTimes = 1);
          }
        });
  }
}
