package dev.weir.it.bluegreen;

import dev.weir.it.SharedClusterReset;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Two clusters of one node each, {@code blue} and {@code green}: started once for all tests of this
 * package, which leave both running and their own indices deleted.
 */
final class TwoClusters {
  private static final CompletableFuture<DataNodeCluster> BLUE = started("blue");
  private static final CompletableFuture<DataNodeCluster> GREEN = started("green");

  private TwoClusters() {}

  private static CompletableFuture<DataNodeCluster> started(String name) {
    return CompletableFuture.supplyAsync(() ->
        SharedClusterReset.add(
            DataNodeCluster.start(ClusterSpec.ofNodes(1).withName("weir-" + name))));
  }

  static DataNodeCluster blue() {
    return BLUE.join();
  }

  static DataNodeCluster green() {
    return GREEN.join();
  }

  /** Returns a client of one of the clusters. */
  static RestClient rest(DataNodeCluster cluster) {
    return cluster.rest();
  }

  /**
   * Starts a gateway in this JVM in front of both.
   *
   * @param more further sections of its configuration, such as {@code traffic}
   */
  static TestBed gateway(String more) {
    TestBed bed =
        TestBed.startWithConfig(
            """
            clusters:
              blue: {seeds: [%s]}
              green: {seeds: [%s]}
            http: {listen: "127.0.0.1:0", compression: {min-body-bytes: 0b}}
            admin: {listen: "127.0.0.1:0"}
            %s
            """
                .formatted(seeds(blue()), seeds(green()), more));
    awaitReached(bed, 2);
    return bed;
  }

  /** Creates an index of two shards without replicas on both clusters. */
  static void createOnBoth(String index) {
    String settings = "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":0}}";
    for (DataNodeCluster cluster : List.of(blue(), green())) {
      cluster.rest().send("PUT", "/" + index, settings).orThrow();
    }
  }

  static void deleteOnBoth(String indices) {
    for (DataNodeCluster cluster : List.of(blue(), green())) {
      cluster.rest().send("DELETE", "/" + indices);
    }
  }

  /** Waits until this many clusters are reachable. */
  static void awaitReached(TestBed bed, long count) {
    awaitReached(bed.admin(), count);
  }

  /**
   * Waits until this many clusters are reachable.
   *
   * @param admin of a gateway in front of both
   */
  static void awaitReached(RestClient admin, long count) {
    Await.untilValue(
        "clusters that are reached",
        () ->
            JsonResponse.of(admin.send("GET", "/traffic").orThrow()).objects("clusters").stream()
                .filter(cluster -> Boolean.TRUE.equals(cluster.get("available")))
                .count(),
        reached -> reached == count);
  }

  static String seeds(DataNodeCluster cluster) {
    return cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
  }
}
