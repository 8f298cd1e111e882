package dev.weir.bench.simulation;

import java.util.List;
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
   * @param others how gateways choose beside the one that is measured, in turn; none: all as that
   */
  record Cluster(int nodes, int copies, int shards, int threads, int gateways, List<Way> others) {
    Cluster(int nodes, int copies, int shards, int threads, int gateways) {
      this(nodes, copies, shards, threads, gateways, List.of());
    }

    Cluster gateways(int count, Way... choosing) {
      return new Cluster(nodes, copies, shards, threads, count, List.of(choosing));
    }

    /** How a gateway chooses where this way is measured. */
    Way way(int gateway, Way measured) {
      int turn = gateway % (1 + others.size());
      return turn == 0 ? measured : others.get(turn - 1);
    }

    /** Whether what this gateway's clients see is measured. */
    boolean measures(int gateway) {
      return gateway % (1 + others.size()) == 0;
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
   * @param share of what all nodes can do together at normal speed, offered by an open loop; or
   * @param clients that each wait for their answer before they ask again; 0 for the open loop
   * @param fanOut shards a search goes to
   * @param cache what is asked for again and again
   */
  record Load(double share, int clients, int fanOut, Costs costs, Cache cache) {
    static Load open(double share, Costs costs) {
      return new Load(share, 0, 1, costs, Cache.NONE);
    }

    static Load closed(int clients, Costs costs) {
      return new Load(0, clients, 1, costs, Cache.NONE);
    }

    Load fanOut(int shards) {
      return new Load(share, clients, shards, costs, cache);
    }

    Load cached(int keys, int entries) {
      return new Load(share, clients, fanOut, costs, new Cache(keys, entries));
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
    return new Scenario(named, what, cluster.gateways(count), load, time, script);
  }
}
