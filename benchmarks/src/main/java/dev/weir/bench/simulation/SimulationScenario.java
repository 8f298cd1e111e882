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
   * @param copies of each shard
   * @param threads of each node's search pool
   * @param otherStrategies the strategies of the other gateways, in turn; if empty, all gateways
   *     use the measured one
   */
  record Cluster(
      int nodes,
      int copies,
      int shards,
      int threads,
      int gateways,
      List<SelectionStrategy> otherStrategies) {
    Cluster(int nodes, int copies, int shards, int threads, int gateways) {
      this(nodes, copies, shards, threads, gateways, List.of());
    }

    Cluster gateways(int count, SelectionStrategy... choosing) {
      return new Cluster(nodes, copies, shards, threads, count, List.of(choosing));
    }

    /** Returns the strategy of a gateway when {@code measured} is the measured one. */
    SelectionStrategy strategyOf(int gateway, SelectionStrategy measured) {
      int turn = gateway % (1 + otherStrategies.size());
      return turn == 0 ? measured : otherStrategies.get(turn - 1);
    }

    /** Returns whether the requests of this gateway's clients are measured. */
    boolean isMeasured(int gateway) {
      return gateway % (1 + otherStrategies.size()) == 0;
    }
  }

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
        cluster.nodes() * cluster.threads() / (load.costs().overallMeanMillis() / 1e3);
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
