package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** One run of a scenario, with its clock, nodes, gateways and clients. */
final class Simulation {
  private static final long NETWORK_NANOS = 250_000;
  private static final double NETWORK_JITTER_NANOS = 50_000;
  private static final long DRAIN_NANOS = 30_000_000_000L;

  final EventSimulator engine = new EventSimulator();
  final SimulationScenario scenario;
  final long seed;
  final List<SimulatedNode> nodes = new ArrayList<>();
  final RunMeasurements outcome;
  private final List<SimulatedGateway> gateways = new ArrayList<>();
  private final ShardCopy[][] copies;
  private final RandomGenerator work;
  private final RandomGenerator network;
  private final RandomGenerator keys;

  /** The factor of the scenario's load. */
  double loadFactor = 1;

  Simulation(SimulationScenario scenario, long seed, SelectionStrategy way) {
    this.scenario = scenario;
    this.seed = seed;
    this.work = new SplittableRandom(31 * seed + 7);
    this.network = new SplittableRandom(17 * seed + 3);
    this.keys = new SplittableRandom(19 * seed + 5);
    this.outcome = new RunMeasurements(scenario.time());
    SimulationScenario.Cluster cluster = scenario.cluster();
    for (int i = 0; i < cluster.nodes(); i++) {
      nodes.add(new SimulatedNode(this, i, cluster.threads(), scenario.load().cache().entries()));
    }
    copies = new ShardCopy[cluster.shards()][cluster.copies()];
    for (int shard = 0; shard < cluster.shards(); shard++) {
      for (int copy = 0; copy < cluster.copies(); copy++) {
        int node = (shard + copy) % cluster.nodes();
        copies[shard][copy] =
            new ShardCopy("n" + node, "s" + shard + "n" + node, copy == 0, false, Map.of());
      }
    }
    for (int i = 0; i < cluster.gateways(); i++) {
      gateways.add(
          new SimulatedGateway(this, i, cluster.strategyOf(i, way), cluster.isMeasured(i)));
    }
  }

  /** Runs the scenario to its end. */
  RunMeasurements run() {
    scenario.faultScript().accept(this);
    int clients = scenario.load().clients();
    if (clients > 0) {
      for (int i = 0; i < clients; i++) {
        int client = i;
        engine.schedule(i * 500_000L, () -> search(client));
      }
    } else {
      engine.schedule((long) arrivalInterval(), this::startNextSearch);
    }
    engine.run(scenario.time().endNanos() + DRAIN_NANOS);
    return outcome;
  }

  /** Schedules a change at a time. */
  void schedule(double seconds, Runnable change) {
    engine.schedule(SimulationScenario.seconds(seconds), change);
  }

  /** Returns a random generator for fault scripts, separate from that of the load. */
  RandomGenerator scriptRandom() {
    return new SplittableRandom(13 * seed + 1);
  }

  /** Returns a random number from 0 to 1. */
  double randomDouble() {
    return network.nextDouble();
  }

  long networkNanos() {
    return NETWORK_NANOS + (long) (NETWORK_JITTER_NANOS * network.nextExponential());
  }

  SimulatedGateway gateway(int index) {
    return gateways.get(index);
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

  private double arrivalInterval() {
    return work.nextExponential() * 1e9 / (loadFactor * scenario.searchesPerSecond());
  }

  private void startNextSearch() {
    search(-1);
    if (engine.nowNanos() < scenario.time().endNanos()) {
      engine.scheduleAfter((long) arrivalInterval(), this::startNextSearch);
    }
  }

  private void search(int client) {
    if (engine.nowNanos() >= scenario.time().endNanos()) {
      return;
    }
    int fanOut = scenario.load().fanOut();
    int shards = scenario.cluster().shards();
    SimulatedGateway gate =
        gateways.get(client < 0 ? work.nextInt(gateways.size()) : client % gateways.size());
    SimulatedShardRequest.SimulatedSearch search =
        new SimulatedShardRequest.SimulatedSearch(engine.nowNanos(), client, fanOut);
    int first = work.nextInt(shards);
    List<SimulatedShardRequest> requests = new ArrayList<>(fanOut);
    for (int i = 0; i < fanOut; i++) {
      int costClass = scenario.load().costs().drawClass(work);
      double cost = scenario.load().costs().drawNanos(costClass, work);
      search.heaviestCostClass = Math.max(search.heaviestCostClass, costClass);
      requests.add(new SimulatedShardRequest(search, gate, (first + i) % shards, costClass, cost));
    }
    SimulationScenario.Cache cache = scenario.load().cache();
    if (cache.entries() > 0) {
      // The n-th key occurs 1/n as often as the first: the logarithm of n is uniform.
      long key = (long) Math.pow(cache.keys(), keys.nextDouble());
      requests.forEach(request -> request.cacheKey = key * shards + request.shard);
    }
    requests.forEach(gate::submit);
  }

  /** Completes a shard request. */
  void onShardFinished(SimulatedShardRequest request, boolean ok) {
    request.finished = true;
    SimulatedShardRequest.SimulatedSearch search = request.search;
    search.failed |= !ok;
    if (--search.remainingShards > 0) {
      return;
    }
    if (request.gateway.measured) {
      outcome.finished(search, engine.nowNanos());
    }
    if (search.client >= 0) {
      engine.scheduleAfter(search.failed ? 5_000_000 : 100_000, () -> search(search.client));
    }
  }
}
