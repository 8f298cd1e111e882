package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** One run of a scenario, with its clock, nodes, gateways and clients. */
final class Simulation implements FaultTarget {
  private static final long DRAIN_NANOS = 30_000_000_000L;

  private final EventSimulator engine = new EventSimulator();
  private final SimulationScenario scenario;
  private final long seed;
  private final SimulatedCluster cluster;
  private final RunMeasurements outcome;
  private final List<SimulatedGateway> gateways = new ArrayList<>();
  private final RandomGenerator work;
  private final RandomGenerator keys;
  private double loadFactor = 1;

  Simulation(SimulationScenario scenario, long seed, GatewayDesign measured) {
    this.scenario = scenario;
    this.seed = seed;
    this.work = new SplittableRandom(31 * seed + 7);
    this.keys = new SplittableRandom(19 * seed + 5);
    this.outcome = new RunMeasurements(scenario.time());
    this.cluster = createCluster();
    SimulationScenario.Cluster shape = scenario.cluster();
    for (int i = 0; i < shape.gateways(); i++) {
      CurrentRequest current = new CurrentRequest();
      GatewayDesign.Components parts =
          shape
              .strategyOf(i, measured)
              .create(cluster, scenario, current, seed * 7919 + i * 104729L + 13);
      gateways.add(new SimulatedGateway(cluster, parts, current, outcome, this::onShardFinished));
    }
  }

  private SimulatedCluster createCluster() {
    SimulationScenario.Cluster shape = scenario.cluster();
    SimulatedNetwork network = new SimulatedNetwork(seed);
    List<SimulatedNode> nodes = new ArrayList<>();
    for (int i = 0; i < shape.nodes(); i++) {
      int cacheEntries = scenario.load().cache().entries();
      nodes.add(new SimulatedNode(engine, network, i, shape.threads(), cacheEntries));
    }
    return new SimulatedCluster(
        engine,
        network,
        new SimulatedNetwork(seed + 1_000_003),
        nodes,
        new SimulatedCluster.Layout(shape.shards(), shape.copies(), shape.primaryNodes()));
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
    cluster.nodes.forEach(node -> outcome.addCacheLookups(node.cacheLookups, node.cacheHits));
    return outcome;
  }

  @Override
  public List<SimulatedNode> nodes() {
    return cluster.nodes;
  }

  @Override
  public void schedule(double seconds, Runnable change) {
    engine.schedule(EventSimulator.seconds(seconds), change);
  }

  @Override
  public void pauseGateway(int index, double seconds) {
    gateways.get(index).pause(seconds);
  }

  @Override
  public void setLoadFactor(double factor) {
    loadFactor = factor;
  }

  @Override
  public RandomGenerator scriptRandom() {
    return new SplittableRandom(13 * seed + 1);
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
    int gateway = client < 0 ? work.nextInt(gateways.size()) : client % gateways.size();
    SimulatedShardRequest.SimulatedSearch search =
        new SimulatedShardRequest.SimulatedSearch(
            engine.nowNanos(), client, scenario.cluster().isMeasured(gateway), fanOut);
    int first = work.nextInt(shards);
    List<SimulatedShardRequest> requests = new ArrayList<>(fanOut);
    for (int i = 0; i < fanOut; i++) {
      int costClass = scenario.load().costs().drawClass(work);
      double cost = scenario.load().costs().drawNanos(costClass, work);
      search.heaviestCostClass = Math.max(search.heaviestCostClass, costClass);
      requests.add(new SimulatedShardRequest(search, (first + i) % shards, costClass, cost));
    }
    SimulationScenario.Cache cache = scenario.load().cache();
    if (cache.entries() > 0) {
      // The n-th key occurs 1/n as often as the first: the logarithm of n is uniform.
      long key = (long) Math.pow(cache.keys(), keys.nextDouble());
      requests.forEach(request -> request.cacheKey = key * shards + request.shard);
    }
    gateways.get(gateway).submit(search, requests);
  }

  private void onShardFinished(SimulatedShardRequest request, boolean ok) {
    request.finished = true;
    SimulatedShardRequest.SimulatedSearch search = request.search;
    search.failed |= !ok;
    if (--search.remainingShards > 0) {
      return;
    }
    if (search.measured) {
      outcome.finished(search, engine.nowNanos());
    }
    if (search.client >= 0) {
      engine.scheduleAfter(search.failed ? 5_000_000 : 100_000, () -> search(search.client));
    }
  }
}
