package dev.weir.bench.simulation;

import java.util.List;
import java.util.function.Consumer;

/**
 * A simulated scenario.
 *
 * @param name for tables
 * @param description in a line
 * @param cluster the data nodes and gateways
 * @param load the clients' requests
 * @param time the length of the run
 * @param faultScript schedules changes on the simulation's clock
 */
record SimulationScenario(
    String name,
    String description,
    Cluster cluster,
    Load load,
    Time time,
    Consumer<FaultTarget> faultScript) {

  /**
   * Data nodes and gateways.
   *
   * @param copies of each shard that answer searches
   * @param threads of each node's search pool
   * @param primaryNodes this many of the first nodes hold only primaries, which no search goes to:
   *     searches go to the search-only replicas on the other nodes. 0: searches go to all copies
   */
  record Cluster(
      int nodes, int copies, int shards, int threads, GatewayTier tier, int primaryNodes) {
    Cluster(int nodes, int copies, int shards, int threads, int gateways) {
      this(nodes, copies, shards, threads, new GatewayTier(gateways, List.of()), 0);
    }

    Cluster gateways(int count, SelectionStrategy... choosing) {
      GatewayTier other = new GatewayTier(count, List.of(choosing));
      return new Cluster(nodes, copies, shards, threads, other, primaryNodes);
    }

    /** Adds nodes that hold only primaries; all searches go to search-only replicas. */
    Cluster withPrimaryNodes(int count) {
      return new Cluster(nodes + count, copies, shards, threads, tier, count);
    }

    int gateways() {
      return tier.count();
    }

    /** Returns the number of nodes that answer searches. */
    int searchNodes() {
      return nodes - primaryNodes;
    }

    /** Returns the strategy of a gateway when {@code measured} is the measured one. */
    GatewayDesign strategyOf(int gateway, GatewayDesign measured) {
      List<SelectionStrategy> others = tier.otherStrategies();
      int turn = gateway % (1 + others.size());
      return turn == 0 ? measured : others.get(turn - 1);
    }

    /** Returns whether the requests of this gateway's clients are measured. */
    boolean isMeasured(int gateway) {
      return gateway % (1 + tier.otherStrategies().size()) == 0;
    }
  }

  /**
   * The gateways.
   *
   * @param otherStrategies the strategies of the other gateways, in turn; if empty, all gateways
   *     use the measured one
   */
  record GatewayTier(int count, List<SelectionStrategy> otherStrategies) {}

  /**
   * The request caches of nodes.
   *
   * @param keys the number of different searches; the n-th occurs 1 / n times as often as the first
   * @param entries the size of a node's cache, least recently used out first; 0 for no cache
   */
  record Cache(int keys, int entries) {
    static final Cache NONE = new Cache(0, 0);
  }

  /**
   * The clients' requests.
   *
   * @param utilisation the open loop's rate relative to the capacity of all nodes at normal speed;
   *     unused with clients
   * @param clients of a closed loop; 0 for the open loop
   * @param fanOut shards of a search
   * @param cache which searches repeat
   */
  record Load(double utilisation, int clients, int fanOut, ServiceCosts costs, Cache cache) {
    static Load open(double share, ServiceCosts costs) {
      return new Load(share, 0, 1, costs, Cache.NONE);
    }

    static Load closed(int clients, ServiceCosts costs) {
      return new Load(0, clients, 1, costs, Cache.NONE);
    }

    Load fanOut(int shards) {
      return new Load(utilisation, clients, shards, costs, cache);
    }

    Load cached(int keys, int entries) {
      return new Load(utilisation, clients, fanOut, costs, new Cache(keys, entries));
    }
  }

  /**
   * Times in seconds.
   *
   * @param warmUp before the measurement
   * @param measurement the measured time
   * @param windowFrom the start of the window that is evaluated separately
   * @param windowTo the end of that window
   */
  record Time(double warmUp, double measurement, double windowFrom, double windowTo) {
    static Time of(double warm, double measured) {
      return new Time(warm, measured, 0, 0);
    }

    Time window(double from, double to) {
      return new Time(warmUp, measurement, from, to);
    }

    long endNanos() {
      return EventSimulator.seconds(warmUp + measurement);
    }
  }

  /** Returns the rate of the open loop in searches a second. */
  double searchesPerSecond() {
    double capacity =
        cluster.searchNodes() * cluster.threads() / (load.costs().overallMeanMillis() / 1e3);
    return load.utilisation() * capacity / load.fanOut();
  }

  SimulationScenario time(Time other) {
    return new SimulationScenario(name, description, cluster, load, other, faultScript);
  }

  SimulationScenario withGateways(int count, String named) {
    return new SimulationScenario(
        named, description, cluster.gateways(count), load, time, faultScript);
  }
}
