package dev.weir.bench.simulation;

import java.util.List;
import java.util.function.Consumer;

/**
 * What is simulated.
 *
 * @param name for tables
 * @param description what happens, in a line
 * @param cluster the data nodes
 * @param load what clients ask for
 * @param time how long
 * @param faultScript what happens meanwhile: puts changes on the world's clock
 */
record SimulationScenario(
    String name,
    String description,
    Cluster cluster,
    Load load,
    Time time,
    Consumer<Simulation> faultScript) {

  /**
   * Data nodes and gateways.
   *
   * @param copies of each shard
   * @param threads of each node's search pool
   * @param otherStrategies how gateways choose beside the one that is measured, in turn; none: all
   *     as that
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

    /** How a gateway chooses where this way is measured. */
    SelectionStrategy strategyOf(int gateway, SelectionStrategy measured) {
      int turn = gateway % (1 + otherStrategies.size());
      return turn == 0 ? measured : otherStrategies.get(turn - 1);
    }

    /** Whether what this gateway's clients see is measured. */
    boolean isMeasured(int gateway) {
      return gateway % (1 + otherStrategies.size()) == 0;
    }
  }

  /**
   * What can be answered from a node's request cache.
   *
   * @param keys different searches, of which the n-th is asked for 1 / n times as often as the
   *     first
   * @param entries that a node keeps, those used last; 0 for no cache
   */
  record Cache(int keys, int entries) {
    static final Cache NONE = new Cache(0, 0);
  }

  /**
   * Work.
   *
   * @param utilisation of what all nodes can do together at normal speed, offered by an open loop;
   *     or
   * @param clients that each wait for their answer before they ask again; 0 for the open loop
   * @param fanOut shards a search goes to
   * @param cache what is asked for again and again
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
   * Seconds.
   *
   * @param warmUp before anything is measured
   * @param measurement after that
   * @param windowFrom from when a part is looked at by itself
   * @param windowTo until when
   */
  record Time(double warmUp, double measurement, double windowFrom, double windowTo) {
    static Time of(double warm, double measured) {
      return new Time(warm, measured, 0, 0);
    }

    Time window(double from, double to) {
      return new Time(warmUp, measurement, from, to);
    }

    long endNanos() {
      return seconds(warmUp + measurement);
    }
  }

  static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** Searches a second that clients offer in an open loop. */
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
