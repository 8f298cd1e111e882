package dev.weir.bench.simulation;

import dev.weir.bench.simulation.SimulationScenario.Cluster;
import dev.weir.bench.simulation.SimulationScenario.Load;
import dev.weir.bench.simulation.SimulationScenario.Time;
import java.util.List;
import java.util.random.RandomGenerator;

/** Scenarios with many, different, or faulty gateways. */
final class FleetScenarios {
  private static final ServiceCosts USUAL = ServiceCosts.lognormal(20, 0.8);
  private static final Cluster FIVE = new Cluster(5, 3, 5, 13, 3);

  private FleetScenarios() {}

  static List<SimulationScenario> all() {
    return List.of(
        gatewayPauses(),
        beside("beside-rr", 2, SelectionStrategy.ROUND_ROBIN),
        beside("beside-stock", 2, SelectionStrategy.STOCK),
        beside(
            "beside-many",
            20,
            SelectionStrategy.ROUND_ROBIN,
            SelectionStrategy.STOCK,
            SelectionStrategy.STOCK),
        herd(),
        antagonists(40, 8),
        antagonists(100, 10),
        searchReplicas());
  }

  /**
   * Other processes on the machines take a changing part of each node's processors, as in the
   * evaluation of Prequal (NSDI 2024).
   */
  private static SimulationScenario antagonists(int nodes, int gateways) {
    return new SimulationScenario(
        "antagonists-" + nodes,
        "%d nodes; each second a random quarter of them becomes 1.5 to 4 times slower; 60 %%"
            .formatted(nodes),
        new Cluster(nodes, 3, nodes, 8, gateways),
        Load.open(0.6, ServiceCosts.lognormal(10, 0.8)),
        Time.of(2, 10),
        world -> {
          RandomGenerator random = world.scriptRandom();
          for (int at = 0; at < 13; at++) {
            world.schedule(
                at,
                () ->
                    world
                        .nodes()
                        .forEach(node ->
                            node.slowFactor =
                                random.nextInt(4) == 0 ? 1.5 + 2.5 * random.nextDouble() : 1));
          }
        });
  }

  /**
   * Searches go only to search-only replicas, on nodes of their own. Each second, every one of
   * these nodes fetches new segments, which makes it slower for a moment.
   */
  private static SimulationScenario searchReplicas() {
    return new SimulationScenario(
        "search-replicas",
        "2 search-only replicas of each shard on 6 nodes beside 3 with primaries; each is half as"
            + " fast for 200 ms of each second, one always; 50 %",
        new Cluster(6, 2, 6, 13, 3).withPrimaryNodes(3),
        Load.open(0.5, USUAL).fanOut(3),
        Time.of(2, 20),
        world -> {
          List<SimulatedNode> searching = world.nodes().subList(3, 9);
          for (int i = 0; i < searching.size(); i++) {
            SimulatedNode node = searching.get(i);
            double usual = i == 0 ? 2 : 1;
            node.slowFactor = usual;
            for (double at = 0.17 * i; at < 22; at += 1) {
              world.schedule(at, () -> node.slowFactor = 2 * usual);
              world.schedule(at + 0.2, () -> node.slowFactor = usual);
            }
          }
        });
  }

  /** A gateway pauses; late responses after its own pause must not count against the nodes. */
  private static SimulationScenario gatewayPauses() {
    return new SimulationScenario(
        "gateway-pauses",
        "6 equal nodes at 60 %; one gateway pauses for 1-2 s every 5 s",
        new Cluster(6, 3, 6, 13, 3),
        Load.open(0.6, USUAL),
        Time.of(2, 30),
        world -> {
          RandomGenerator random = world.scriptRandom();
          for (int at = 4; at < 32; at += 5) {
            double seconds = 1 + random.nextDouble();
            world.schedule(at, () -> world.pauseGateway(0, seconds));
          }
        });
  }

  /** Measures the clients of one gateway while other gateways use other algorithms. */
  private static SimulationScenario beside(String name, int gateways, SelectionStrategy... others) {
    return new SimulationScenario(
        name,
        "one of 5 nodes 3 times slower, 55 %%; 1 of %d gateways uses the policy, the others use %s"
            .formatted(1 + others.length, labels(others)),
        FIVE.gateways(gateways, others),
        Load.open(0.55, USUAL),
        Time.of(2, 20),
        world -> world.nodes().getFirst().slowFactor = 3);
  }

  private static String labels(SelectionStrategy... ways) {
    return String.join(
        ", ", List.of(ways).stream().map(SelectionStrategy::label).distinct().toList());
  }

  /** Many gateways receive the same information at once after a time with little of it. */
  private static SimulationScenario herd() {
    return new SimulationScenario(
        "herd",
        "20 gateways, 50 nodes of which 5 are twice as slow; load jumps from 5 to 80 % each 2 s",
        new Cluster(50, 3, 50, 4, 20),
        Load.open(0.05, ServiceCosts.exponential(8)),
        Time.of(1, 12),
        world -> {
          world.nodes().stream().limit(5).forEach(node -> node.slowFactor = 2);
          for (int at = 2; at < 13; at += 4) {
            world.schedule(at, () -> world.setLoadFactor(16));
            world.schedule(at + 2, () -> world.setLoadFactor(1));
          }
        });
  }
}
