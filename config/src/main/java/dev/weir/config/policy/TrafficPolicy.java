package dev.weir.config.policy;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which of several clusters serves a request.
 *
 * @param weights relative shares, in the order of the file; if empty, everything goes to the first
 *     cluster
 * @param shadow reads that are repeated on another cluster
 * @param dualWrites writes that are repeated on another cluster
 * @param rollback when all requests return to one cluster
 */
public record TrafficPolicy(
    @ConfigKey(
            value = "",
            max = "8",
            doc =
                "Relative shares of the requests by cluster, such as {blue: 90, green: 10}. A"
                    + " cluster that is not listed gets none. Empty: everything goes to the first"
                    + " of clusters.")
        Map<String, Double> weights,
    @ConfigKey(
            value = "client",
            doc =
                "Which requests stay together on one cluster. client: those of one client address."
                    + " tenant: those of one tenant, as admission.tenants tells them apart. index:"
                    + " those with the same indices in the path. request: none; each request is"
                    + " assigned by itself.")
        SplitBy splitBy,
    @ConfigKey(
            value = "",
            doc =
                "A request header, such as X-Weir-Cluster, that names the cluster for a request."
                    + " Empty: none.")
        String canaryHeader,
    ShadowPolicy shadow,
    DualWritesPolicy dualWrites,
    RollbackPolicy rollback) {

  /** The largest weight. */
  public static final double MAX_WEIGHT = 1_000_000;

  public static final TrafficPolicy DEFAULT =
      new TrafficPolicy(
          Map.of(),
          SplitBy.CLIENT,
          "",
          new ShadowPolicy(
              "",
              100,
              16,
              new ByteSize(1 << 20),
              false,
              new ShadowPolicy.Tolerances(
                  ShadowPolicy.DEFAULT_MAX_AGGREGATION_DIFFERENCE,
                  ShadowPolicy.DEFAULT_MIN_HIT_OVERLAP)),
          new DualWritesPolicy(
              "", Duration.ofSeconds(10), "", DualWritesPolicy.IntentLogPolicy.DEFAULT),
          new RollbackPolicy("", Duration.ofMinutes(1), 100, 5, 100));

  /** Which requests stay together on one cluster. */
  public enum SplitBy {
    /** Those of one client address. */
    CLIENT,
    /** Those of one tenant. */
    TENANT,
    /** Those with the same indices in the path. */
    INDEX,
    /** None: each request is drawn separately. */
    REQUEST
  }

  /** Returns the clusters that the policy names, in no particular order. */
  public Set<String> clusters() {
    Set<String> named = new LinkedHashSet<>(weights.keySet());
    named.add(shadow.targetCluster());
    named.add(dualWrites.targetCluster());
    named.add(rollback.targetCluster());
    named.remove("");
    return named;
  }
}
