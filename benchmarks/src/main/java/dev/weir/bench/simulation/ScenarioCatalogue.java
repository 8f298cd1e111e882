package dev.weir.bench.simulation;

import dev.weir.bench.simulation.SimulationScenario.Cluster;
import dev.weir.bench.simulation.SimulationScenario.Load;
import dev.weir.bench.simulation.SimulationScenario.Time;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** All scenarios. */
final class ScenarioCatalogue {
  private static final ServiceCosts USUAL = ServiceCosts.lognormal(20, 0.8);
  private static final Cluster SIX = new Cluster(6, 3, 6, 13, 3);

  private ScenarioCatalogue() {}

  static List<SimulationScenario> all() {
    return Stream.of(basic(), FleetScenarios.all(), NodeScenarios.all())
        .flatMap(List::stream)
        .toList();
  }

  private static List<SimulationScenario> basic() {
    return List.of(
        equal(),
        manyGateways(),
        closedFanOut(),
        slow(4),
        slow(10),
        saturated(),
        flips(0.7),
        flips(0.9),
        flips(0.7).withGateways(20, "flips-70-20gw"),
        pauses(),
        fanOutPauses(),
        failing(),
        recovery(),
        joining(),
        mixed(),
        slowNetwork(),
        undercount(),
        hiccups());
  }

  private static SimulationScenario equal() {
    return new SimulationScenario(
        "equal",
        "6 equal nodes at 80 %: no selection can gain much",
        SIX,
        Load.open(0.8, USUAL),
        Time.of(2, 20),
        world -> {});
  }

  private static SimulationScenario manyGateways() {
    return equal().withGateways(20, "equal-20gw");
  }

  /**
   * One of five nodes is under load, as in Elasticsearch's measurement of adaptive selection in
   * 2017.
   */
  private static SimulationScenario closedFanOut() {
    return new SimulationScenario(
        "test-2017",
        "100 clients, 5 shards with 2 copies, one of 5 nodes 2.34 times slower",
        new Cluster(5, 2, 5, 25, 1),
        Load.closed(100, ServiceCosts.lognormal(255, 0.5)).fanOut(5),
        Time.of(20, 100),
        world -> world.nodes().get(2).slowFactor = 2.34);
  }

  private static SimulationScenario slow(double times) {
    return new SimulationScenario(
        "slow-x%.0f".formatted(times),
        "one of 5 nodes %.0f times slower, 60 %%".formatted(times),
        new Cluster(5, 5, 1, 13, 3),
        Load.open(0.6, ServiceCosts.lognormal(30, 0.8)),
        Time.of(3, 20),
        world -> world.nodes().getFirst().slowFactor = times);
  }

  private static SimulationScenario saturated() {
    return new SimulationScenario(
        "saturated",
        "100 clients in a closed loop, one of 5 nodes 4 times slower",
        new Cluster(5, 5, 1, 13, 1),
        Load.closed(100, ServiceCosts.lognormal(30, 0.8)),
        Time.of(3, 15),
        world -> world.nodes().getFirst().slowFactor = 4);
  }

  /** Every node's speed changes all the time, as in the C3 paper. */
  private static SimulationScenario flips(double share) {
    return new SimulationScenario(
        "flips-%.0f".formatted(100 * share),
        "50 nodes; each switches between speed 1 and 3 every 500 ms at random; %.0f %%"
            .formatted(100 * share),
        new Cluster(50, 3, 50, 4, 5),
        Load.open(2 * share, ServiceCosts.exponential(4)),
        Time.of(1, 4),
        world -> {
          RandomGenerator random = world.scriptRandom();
          for (double at = 0; at < 7; at += 0.5) {
            world.schedule(
                at,
                () ->
                    world
                        .nodes()
                        .forEach(node -> node.slowFactor = random.nextBoolean() ? 1 : 1 / 3.0));
          }
        });
  }

  private static void pause(FaultTarget world, double meanSeconds, double until) {
    RandomGenerator random = world.scriptRandom();
    double at = 3;
    while (at < until) {
      SimulatedNode node = world.nodes().get(random.nextInt(world.nodes().size()));
      double seconds = 1 + random.nextDouble();
      world.schedule(at, () -> node.pause(seconds));
      at += 0.5 + meanSeconds * random.nextExponential();
    }
  }

  private static SimulationScenario pauses() {
    return new SimulationScenario(
        "pauses",
        "6 nodes at 50 %, of which one pauses for 1-2 s every 3 s",
        SIX,
        Load.open(0.5, USUAL),
        Time.of(2, 40),
        world -> pause(world, 2.5, 42));
  }

  private static SimulationScenario fanOutPauses() {
    return new SimulationScenario(
        "fan-out",
        "searches over 10 of 30 shards at 60 %, pauses of 1-2 s, one of 6 nodes twice as slow",
        new Cluster(6, 3, 30, 13, 3),
        Load.open(0.6, USUAL).fanOut(10),
        Time.of(2, 40),
        world -> {
          world.nodes().get(1).slowFactor = 2;
          pause(world, 8, 42);
        });
  }

  private static SimulationScenario failing() {
    return new SimulationScenario(
        "failing",
        "one of 6 nodes fails fast for 10 s, 50 %",
        SIX,
        Load.open(0.5, USUAL),
        Time.of(2, 20).window(5, 15),
        world -> {
          SimulatedNode bad = world.nodes().getFirst();
          world.schedule(5, () -> bad.failing = true);
          world.schedule(15, () -> bad.failing = false);
        });
  }

  private static SimulationScenario recovery() {
    return new SimulationScenario(
        "recovery",
        "one of 6 nodes is 10 times slower for 10 s, then healthy again, 60 %",
        SIX,
        Load.open(0.6, USUAL),
        Time.of(2, 23).window(15, 20),
        world -> {
          SimulatedNode bad = world.nodes().getFirst();
          world.schedule(5, () -> bad.slowFactor = 10);
          world.schedule(15, () -> bad.slowFactor = 1);
        });
  }

  private static SimulationScenario joining() {
    return new SimulationScenario(
        "joining",
        "a node joins 6 others, cold: 4 times slower for 4 s, 60 %",
        SIX,
        Load.open(0.6, USUAL),
        Time.of(2, 20).window(8, 12),
        world -> {
          SimulatedNode cold = world.nodes().getFirst();
          cold.absent = true;
          world.schedule(8, () -> cold.absent = false);
          cold.slowFactor = 4;
          world.schedule(12, () -> cold.slowFactor = 1);
        });
  }

  private static SimulationScenario mixed() {
    return new SimulationScenario(
        "mixed-90",
        "1 request in 20 costs 40 times as much, 90 %",
        SIX,
        Load.open(0.9, ServiceCosts.lognormal(5, 0.5).withHeavy(0.05, 40)),
        Time.of(2, 30),
        world -> {});
  }

  private static SimulationScenario slowNetwork() {
    return new SimulationScenario(
        "slow-network",
        "20 ms more to and from one of 6 nodes, 60 %",
        SIX,
        Load.open(0.6, USUAL),
        Time.of(2, 20),
        world -> world.nodes().getFirst().extraNetworkNanos = 20_000_000);
  }

  private static SimulationScenario undercount() {
    return new SimulationScenario(
        "undercount",
        "one of 6 nodes reports a tenth of its service time and is twice as slow, 60 %",
        SIX,
        Load.open(0.6, USUAL),
        Time.of(2, 20),
        world -> {
          world.nodes().getFirst().reports = 0.1;
          world.nodes().getFirst().slowFactor = 2;
        });
  }

  /** Single requests are delayed on one copy only, as by a cold page or a merge. */
  private static SimulationScenario hiccups() {
    return new SimulationScenario(
        "hiccups",
        "1 response in 100 of any node takes 300 ms more, 50 %",
        SIX,
        Load.open(0.45, USUAL),
        Time.of(2, 20),
        world -> world.nodes().forEach(node -> node.hiccupRate = 0.01));
  }
}
