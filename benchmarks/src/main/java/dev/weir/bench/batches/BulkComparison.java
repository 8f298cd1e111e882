package dev.weir.bench.batches;

import dev.weir.bench.BenchIndexes;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.PrintStream;

/** Bulks into many shards, with one message a node and with one a shard. Confined to one thread. */
final class BulkComparison {
  private static final double MAX_MESSAGES = 0.1;
  private static final double MAX_GATEWAY_CPU = 0.95;
  private static final double MAX_NODE_CPU = 1.0;

  private final PrintStream out;
  private final ResultChecks checks;
  private final int documents;
  private final Rounds rounds;

  /**
   * How long to send bulks.
   *
   * @param clients concurrent ones
   * @param seconds of a round
   * @param count rounds of each, alternately
   * @param warmUp seconds before
   */
  record Rounds(int clients, double seconds, int count, double warmUp) {}

  /** Bulks into one index of a cluster, and what they cost. */
  private static final class Side {
    private final MeasuredSearches gateway;
    private final RestClient rest;
    private SearchCosts costs = SearchCosts.NONE;
    private long bulks;

    Side(MeasuredSearches gateway, DataNodeCluster cluster) {
      this.gateway = gateway;
      this.rest = cluster.rest();
    }

    /** Sends bulks for a time. */
    SearchCosts run(Workload workload, int clients, double seconds) {
      SearchCosts run = gateway.run(workload, clients, seconds);
      bulks += run.searches() - run.errors();
      return run;
    }
  }

  /**
   * Compares bulks.
   *
   * @param documents of a bulk
   */
  BulkComparison(PrintStream out, ResultChecks checks, int documents, Rounds rounds) {
    this.out = out;
    this.checks = checks;
    this.documents = documents;
    this.rounds = rounds;
  }

  /** Writes to an index of as many shards on each cluster, and checks the bounds. */
  void run(
      int shards,
      MeasuredSearches batched,
      DataNodeCluster with,
      MeasuredSearches single,
      DataNodeCluster without)
      throws IOException {
    String index = "bulked-" + shards;
    Workload workload = Workload.bulk(index, documents);
    Side batches = new Side(batched, with);
    Side messages = new Side(single, without);
    for (Side side : new Side[] {batches, messages}) {
      create(side.rest, index, shards);
      side.run(workload, rounds.clients(), rounds.warmUp());
    }
    for (int round = 0; round < rounds.count(); round++) {
      for (Side side : new Side[] {messages, batches}) {
        side.costs = side.costs.plus(side.run(workload, rounds.clients(), rounds.seconds()));
      }
    }
    String title = "bulks of %d, %d shards".formatted(documents, shards);
    messages.costs.print(out, title + ", " + single.name(), "bulks");
    batches.costs.print(out, title + ", " + batched.name(), "bulks");
    check(title + ", batches relative to single messages", batches.costs, messages.costs);
    for (Side side : new Side[] {batches, messages}) {
      checks.checkTrue(
          title + ", " + side.gateway.name(),
          "each document exists once",
          BenchIndexes.count(side.rest, index) == side.bulks * documents);
      side.rest.send("DELETE", "/" + index).orThrow();
    }
  }

  private void check(String title, SearchCosts with, SearchCosts without) {
    checks.checkAtMost(title, "messages", with.messages() / without.messages(), MAX_MESSAGES);
    checks.checkAtMost(
        title,
        "CPU of the gateway",
        with.gatewayMicros() / without.gatewayMicros(),
        MAX_GATEWAY_CPU);
    checks.checkAtMost(
        title, "CPU of the nodes", with.nodeMicros() / without.nodeMicros(), MAX_NODE_CPU);
    checks.checkTrue(title, "all succeed", with.errors() + without.errors() == 0);
  }

  private static void create(RestClient rest, String index, int shards) {
    rest.send(
            "PUT",
            "/" + index + "?wait_for_active_shards=all&timeout=2m&cluster_manager_timeout=2m",
            "{\"settings\":{\"number_of_shards\":"
                + shards
                + ",\"number_of_replicas\":1,\"refresh_interval\":\"-1\"}}")
        .orThrow();
  }
}
