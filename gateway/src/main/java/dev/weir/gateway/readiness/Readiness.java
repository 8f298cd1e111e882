package dev.weir.gateway.readiness;

import dev.weir.bluegreen.traffic.TrafficShares;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the gateway can serve the requests that it gets. Safe on any thread.
 *
 * <p>At first it can when it has heard from every cluster that gets any. A cluster that stays
 * silent for {@link #MAX_FIRST_WAIT} holds the gateway up no longer. From then on, the reachable
 * clusters must get a least share of the requests: otherwise a small cluster that is down would
 * take all gateways out of service, and the others with it.
 */
public final class Readiness {
  /** How long after the start the gateway waits for clusters that it has not heard from. */
  static final Duration MAX_FIRST_WAIT = Duration.ofSeconds(10);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  /** Shares are fractions, whose sum may fall just short of 1. */
  private static final double EPSILON = 1e-9;

  private final Map<String, UpstreamCluster> clusters = new LinkedHashMap<>();
  private final Supplier<TrafficShares> shares;
  private final DoubleSupplier minReachablePercent;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final Set<String> reachedOnce = ConcurrentHashMap.newKeySet();
  private volatile boolean wasReady;

  /**
   * Creates the check of a gateway that starts now.
   *
   * @param shares which clusters get requests now
   * @param minReachablePercent the least share of the requests, 0 to 100
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public Readiness(
      List<? extends UpstreamCluster> clusters,
      Supplier<TrafficShares> shares,
      DoubleSupplier minReachablePercent,
      LongSupplier nanoTime) {
    clusters.forEach(cluster -> this.clusters.put(cluster.name(), cluster));
    this.shares = shares;
    this.minReachablePercent = minReachablePercent;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  /** Returns why the gateway should get no requests; empty while it should. */
  public List<String> unavailableReasons() {
    List<String> reasons = new ArrayList<>();
    double reachable = 0;
    boolean isAnyReachable = false;
    TrafficShares now = shares.get();
    for (String name : now.clusters()) {
      String reason = unavailableReason(name);
      if (reason == null) {
        isAnyReachable = true;
        reachedOnce.add(name);
        reachable += now.byDefault().getOrDefault(name, 0.0);
      } else {
        reasons.add(clusters.size() == 1 ? reason : "cluster " + name + ": " + reason);
      }
    }
    boolean isEnough =
        isAnyReachable && reachable * 100 + EPSILON >= minReachablePercent.getAsDouble();
    if (!isEnough || isWaitingForFirst(now)) {
      return List.copyOf(reasons);
    }
    wasReady = true;
    return List.of();
  }

  /** Returns whether a cluster that gets requests may yet be heard for the first time. */
  private boolean isWaitingForFirst(TrafficShares now) {
    return !wasReady
        && nanoTime.getAsLong() - startNanos < MAX_FIRST_WAIT.toNanos()
        && !reachedOnce.containsAll(now.clusters());
  }

  /** Returns whether the gateway can serve requests. */
  public boolean isReady() {
    return unavailableReasons().isEmpty();
  }

  /**
   * Returns whether to open a port that gateways share. A gateway that is not ready opens it, too,
   * after the first wait, if it reaches any cluster with requests: reads of the others go there.
   */
  public boolean canOpenSharedPort() {
    TrafficShares now = shares.get();
    return isReady()
        || (!isWaitingForFirst(now)
            && now.clusters().stream().anyMatch(name -> unavailableReason(name) == null));
  }

  /**
   * Waits until the gateway can serve requests. Not on an event loop.
   *
   * @return false if the time is up before
   */
  public boolean await(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!isReady()) {
      if (System.nanoTime() >= deadline) {
        return false;
      }
      Thread.sleep(POLL_INTERVAL);
    }
    return true;
  }

  /** Returns the names of all clusters. */
  public Set<String> clusters() {
    return Collections.unmodifiableSet(clusters.keySet());
  }

  /** Returns why requests to one cluster would fail; null while it can be reached. */
  public @Nullable String unavailableReason(String name) {
    UpstreamCluster cluster = clusters.get(name);
    return cluster == null ? "no cluster [" + name + "]" : cluster.unavailableReason();
  }

  /** Returns each cluster's share of the requests and its state, in the format of /readyz. */
  public Map<String, Object> toMap() {
    TrafficShares now = shares.get();
    Map<String, Object> byName = new LinkedHashMap<>();
    clusters.forEach((name, cluster) -> {
      String reason = cluster.unavailableReason();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("reachable", reason == null);
      row.put("has_traffic", now.clusters().contains(name));
      row.put("traffic_percent", Math.round(now.byDefault().getOrDefault(name, 0.0) * 1000) / 10.0);
      if (reason != null) {
        row.put("reason", reason);
      }
      byName.put(name, row);
    });
    return byName;
  }
}
