package dev.weir.it.bluegreen;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Json;
import dev.weir.it.faults.Until;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.RestClient;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Two clusters of one node each, {@code blue} and {@code green}: started once for all tests of this
 * package, which leave both running and their own indices deleted.
 */
final class TwoClusters {
  private static final CompletableFuture<DataNodes> BLUE = started("blue");
  private static final CompletableFuture<DataNodes> GREEN = started("green");

  private TwoClusters() {}

  private static CompletableFuture<DataNodes> started(String name) {
    return CompletableFuture.supplyAsync(
        () -> DataNodes.start(ClusterSpec.of(1).named("weir-" + name)));
  }

  static DataNodes blue() {
    return BLUE.join();
  }

  static DataNodes green() {
    return GREEN.join();
  }

  /** A client that goes straight to a cluster. */
  static RestClient rest(DataNodes cluster) {
    return cluster.rest();
  }

  /**
   * A gateway in this JVM before both.
   *
   * @param more further sections of its configuration, such as {@code traffic}
   */
  static TestBed gateway(String more) {
    TestBed bed =
        TestBed.of(
            """
            clusters:
              blue: {seeds: [%s]}
              green: {seeds: [%s]}
            http: {listen: "127.0.0.1:0", compression: {min-body: 0b}}
            admin: {listen: "127.0.0.1:0"}
            %s
            """
                .formatted(seeds(blue()), seeds(green()), more));
    awaitReached(bed, 2);
    return bed;
  }

  /** Waits until so many of the clusters are reached. */
  static void awaitReached(TestBed bed, long count) {
    Until.value(
        "clusters that are reached",
        () ->
            Json.of(bed.admin().send("GET", "/traffic").orThrow()).objects("clusters").stream()
                .filter(cluster -> Boolean.TRUE.equals(cluster.get("reached")))
                .count(),
        reached -> reached == count);
  }

  static String seeds(DataNodes cluster) {
    return cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
  }
}
