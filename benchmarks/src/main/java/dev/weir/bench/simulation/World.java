package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** One run of a scenario: the clock, the nodes, the gateways, the clients. */
final class World {
  private static final long NETWORK_NANOS = 250_000;
  private static final double NETWORK_JITTER_NANOS = 50_000;
  private static final long DRAIN_NANOS = 30_000_000_000L;

  final Engine engine = new Engine();
  final Scenario scenario;
  final long seed;
  final List<DataNode> nodes = new ArrayList<>();
  final Outcome outcome;
  private final List<Gate> gates = new ArrayList<>();
  private final ShardCopy[][] copies;
  private final RandomGenerator work;
  private final RandomGenerator network;
  private final RandomGenerator keys;

  /** How many times the load is what the scenario says. */
  double loadTimes = 1;

  World(Scenario scenario, long seed, Way way) {
    this.scenario = scenario;
    this.seed = seed;
    this.work = new SplittableRandom(31 * seed + 7);
    this.network = new SplittableRandom(17 * seed + 3);
    this.keys = new SplittableRandom(19 * seed + 5);
    this.outcome = new Outcome(scenario.time());
    Scenario.Cluster cluster = scenario.cluster();
    for (int i = 0; i < cluster.nodes(); i++) {
      nodes.add(new DataNode(this, i, cluster.threads(), scenario.load().cache().entries()));
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
      gates.add(new Gate(this, i, cluster.way(i, way), cluster.measures(i)));
    }
  }

  /** Runs it to its end. */
  Outcome run() {
    scenario.script().accept(this);
    int clients = scenario.load().clients();
    if (clients > 0) {
      for (int i = 0; i < clients; i++) {
        int client = i;
        engine.at(i * 500_000L, () -> search(client));
      }
    } else {
      engine.at((long) interval(), this::arrive);
    }
    engine.run(scenario.time().end() + DRAIN_NANOS);
    return outcome;
  }

  /** Changes something at a time. */
  void at(double seconds, Runnable change) {
    engine.at(Scenario.seconds(seconds), change);
  }

  /** A generator for a script, apart from those of the work. */
  RandomGenerator scriptRandom() {
    return new SplittableRandom(13 * seed + 1);
  }

  /** From 0 to 1. */
  double chance() {
    return network.nextDouble();
  }

  long networkNanos() {
    return NETWORK_NANOS + (long) (NETWORK_JITTER_NANOS * network.nextExponential());
  }

  /** The gateway at a place. */
  Gate gate(int index) {
    return gates.get(index);
  }

  DataNode node(ShardCopy copy) {
    return nodes.get(Integer.parseInt(copy.nodeId(), 1, copy.nodeId().length(), 10));
  }

  /** Puts the copies of a shard that can be asked into an array; says how many they are. */
  int candidates(ShardRequest request, ShardCopy[] into) {
    int count = 0;
    for (ShardCopy copy : copies[request.shard]) {
      DataNode node = node(copy);
      if ((request.tried >>> node.index & 1) == 0 && !node.absent) {
        into[count++] = copy;
      }
    }
    return count;
  }

  private double interval() {
    return work.nextExponential() * 1e9 / (loadTimes * scenario.searchesPerSecond());
  }

  private void arrive() {
    search(-1);
    if (engine.now() < scenario.time().end()) {
      engine.after((long) interval(), this::arrive);
    }
  }

  private void search(int client) {
    if (engine.now() >= scenario.time().end()) {
      return;
    }
    int fanOut = scenario.load().fanOut();
    int shards = scenario.cluster().shards();
    Gate gate = gates.get(client < 0 ? work.nextInt(gates.size()) : client % gates.size());
    ShardRequest.Search search = new ShardRequest.Search(engine.now(), client, fanOut);
    int first = work.nextInt(shards);
    List<ShardRequest> requests = new ArrayList<>(fanOut);
    for (int i = 0; i < fanOut; i++) {
      int costClass = scenario.load().costs().drawClass(work);
      double cost = scenario.load().costs().draw(costClass, work);
      search.heaviest = Math.max(search.heaviest, costClass);
      requests.add(new ShardRequest(search, gate, (first + i) % shards, costClass, cost));
    }
    Scenario.Cache cache = scenario.load().cache();
    if (cache.entries() > 0) {
      // 1/n as often as the first: the logarithm of n is spread evenly
      long key = (long) Math.pow(cache.keys(), keys.nextDouble());
      requests.forEach(request -> request.key = key * shards + request.shard);
    }
    requests.forEach(gate::accept);
  }

  /** A shard request is over. */
  void finished(ShardRequest request, boolean ok) {
    request.done = true;
    ShardRequest.Search search = request.search;
    search.failed |= !ok;
    if (--search.left > 0) {
      return;
    }
    if (request.gate.measured) {
      outcome.finished(search, engine.now());
    }
    if (search.client >= 0) {
      engine.after(search.failed ? 5_000_000 : 100_000, () -> search(search.client));
    }
  }
}
