package dev.weir.bench.simulation;

import java.util.function.Consumer;

/**
 * What is simulated.
 *
 * @param name for tables
 * @param what what happens, in a line
 * @param cluster the data nodes
 * @param load what clients ask for
 * @param time how long
 * @param script what happens meanwhile: puts changes on the world's clock
 */
record Scenario(
    String name, String what, Cluster cluster, Load load, Time time, Consumer<World> script) {

  /**
   * Data nodes and gateways.
   *
   * @param copies of each shard
   * @param threads of each node's search pool
   */
  record Cluster(int nodes, int copies, int shards, int threads, int gateways) {}

  /**
   * Work.
   *
   * @param share of what all nodes can do together at normal speed, offered by an open loop; or
   * @param clients that each wait for their answer before they ask again; 0 for the open loop
   * @param fanOut shards a search goes to
   */
  record Load(double share, int clients, int fanOut, Costs costs) {
    static Load open(double share, Costs costs) {
      return new Load(share, 0, 1, costs);
    }

    static Load closed(int clients, Costs costs) {
      return new Load(0, clients, 1, costs);
    }

    Load fanOut(int shards) {
      return new Load(share, clients, shards, costs);
    }
  }

  /**
   * Seconds.
   *
   * @param warm before anything is measured
   * @param measured after that
   * @param windowFrom from when a part is looked at by itself
   * @param windowTo until when
   */
  record Time(double warm, double measured, double windowFrom, double windowTo) {
    static Time of(double warm, double measured) {
      return new Time(warm, measured, 0, 0);
    }

    Time window(double from, double to) {
      return new Time(warm, measured, from, to);
    }

    long end() {
      return seconds(warm + measured);
    }
  }

  static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** Searches a second that clients offer in an open loop. */
  double searchesPerSecond() {
    double capacity = cluster.nodes() * cluster.threads() / (load.costs().overallMillis() / 1e3);
    return load.share() * capacity / load.fanOut();
  }

  Scenario time(Time other) {
    return new Scenario(name, what, cluster, load, other, script);
  }

  Scenario gateways(int count, String named) {
    Cluster more =
        new Cluster(cluster.nodes(), cluster.copies(), cluster.shards(), cluster.threads(), count);
    return new Scenario(named, what + ", gateways: " + count, more, load, time, script);
  }
}
