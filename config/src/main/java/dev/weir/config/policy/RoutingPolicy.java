package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** How a shard's copies are put in order. */
public record RoutingPolicy(
    @ConfigKey(
            value = "adaptive",
            doc =
                "adaptive: by expected response time; c3: by the C3 paper's rank;"
                    + " least-outstanding; round-robin: in turns.")
        Algorithm algorithm,
    @ConfigKey(
            value = "",
            max = "64",
            doc =
                "The gateway's own attributes as NAME=VALUE, such as zone=a; copies on nodes that"
                    + " have the same are preferred where the cluster is set to allocation"
                    + " awareness.")
        List<NodeAttribute> gatewayAttributes,
    @ConfigKey(
            value = "1",
            min = "1",
            max = "1000",
            doc = "How many times worse a node with the same attributes may be and come first.")
        double remotePenalty,
    @ConfigKey(
            value = "0.05",
            min = "0",
            max = "1",
            doc = "Random share added to every score, so that many gateways do not choose alike.")
        double scoreJitterRatio,
    Adaptive adaptive,
    C3 c3,
    Health health,
    Hedging hedging,
    Retries retries,
    Locality locality,
    Explain explain) {

  /** A policy with the default hedging, retries and locality. */
  public RoutingPolicy(
      Algorithm policy,
      List<NodeAttribute> attributes,
      double awayFactor,
      double jitter,
      Adaptive adaptive,
      C3 c3,
      Health health) {
    this(
        policy,
        attributes,
        awayFactor,
        jitter,
        adaptive,
        c3,
        health,
        new Hedging(true, 0.03, 100, 0.95),
        new Retries(0.2, 10, 100),
        new Locality(true, 4),
        new Explain(1000));
  }

  /** The ways to choose. */
  public enum Algorithm {
    /** By the response time to expect. */
    ADAPTIVE,
    /** By the C3 paper's rank. */
    C3,
    /** Where this gateway has the fewest requests under way. */
    LEAST_OUTSTANDING,
    /** In turns, blind to load. */
    ROUND_ROBIN
  }

  /** Parameters of the adaptive score. */
  public record Adaptive(
      @ConfigKey(
              value = "13",
              min = "1",
              max = "10000",
              doc = "Threads of a node's search pool, where the node does not say how many.")
          int defaultSearchThreads,
      @ConfigKey(
              value = "4",
              min = "0",
              max = "1000",
              doc = "How many times a node's unexpected silence counts.")
          double noResponseWeight) {}

  /** Parameters of the C3 rank. */
  public record C3(
      @ConfigKey(
              value = "1",
              min = "1",
              max = "10000",
              doc = "Gateways that send to the same nodes; weighs this one's outstanding requests.")
          int gatewayCount,
      @ConfigKey(
              value = "0.3",
              min = "0.001",
              max = "1",
              doc = "Weight of a new sample in an average.")
          double ewmaAlpha,
      @ConfigKey(value = "3", min = "1", max = "6", doc = "How steeply a queue counts.")
          double queueExponent,
      @ConfigKey(
              value = "2s",
              min = "10ms",
              max = "1h",
              doc = "In this time a reported queue size is mostly forgotten; the paper never does.")
          Duration queueDecayTime) {}

  /** When a node is trusted less; in every algorithm but round-robin. */
  public record Health(
      @ConfigKey(
              value = "20",
              min = "0",
              max = "1000000",
              doc = "Factor that errors put on a score.")
          double failurePenalty,
      @ConfigKey(value = "2s", min = "10ms", max = "1h", doc = "Errors are mostly forgotten after.")
          Duration failureDecayTime,
      @ConfigKey(
              value = "3",
              min = "1",
              max = "1000",
              doc = "Connections lost or timeouts in a row after which a node is tried last.")
          int maxConsecutiveFailures,
      @ConfigKey(value = "500ms", min = "1ms", max = "1h", doc = "For how long; doubles each time.")
          Duration baseEjectionTime,
      @ConfigKey(value = "16s", min = "1ms", max = "1h", doc = "For how long at most.")
          Duration maxEjectionTime,
      @ConfigKey(
              value = "32",
              min = "1",
              max = "100000",
              doc = "A node not yet known gets 1, 2, 4 ... requests at a time up to this many.")
          int maxSlowStartRequests,
      Exploration exploration) {}

  /** Second requests for reads that are late. */
  public record Hedging(
      @ConfigKey(
              value = "true",
              doc = "Whether a read that is late is also asked of another copy; never a write.")
          boolean enabled,
      @ConfigKey(
              value = "0.03",
              min = "0",
              max = "1",
              doc = "Second requests, as a share of first ones, in the long run.")
          double budgetRatio,
      @ConfigKey(value = "100", min = "1", max = "100000", doc = "Second requests in a burst.")
          int maxBurst,
      @ConfigKey(
              value = "0.95",
              min = "0.5",
              max = "0.9999",
              doc = "The quantile of response times after which a request is late.")
          double latencyQuantile) {}

  /** Asking the next copy after a node failed, so that a mass failure does not become a storm. */
  public record Retries(
      @ConfigKey(
              value = "0.2",
              min = "0",
              max = "10",
              doc = "Asked again after a node's failure, as a share of requests.")
          double budgetRatio,
      @ConfigKey(value = "10", min = "0", max = "1000000", doc = "And so many a second besides.")
          double minRetriesPerSecond,
      @ConfigKey(value = "100", min = "1", max = "1000000", doc = "In a burst.") int maxBurst) {}

  /** Copies that stand first for another reason than their load. */
  public record Locality(
      @ConfigKey(
              value = "true",
              doc =
                  "Whether the copy that a preference string or allocation awareness puts first"
                      + " gives way while its node is ejected or clearly overloaded; false: never,"
                      + " as on a node.")
          boolean failoverEnabled,
      @ConfigKey(
              value = "4",
              min = "1",
              max = "1000",
              doc =
                  "Clearly overloaded: all threads of its node are busy or the node is silent, and"
                      + " its score is over this many times the best of the others.")
          double overloadFactor) {}

  /** What is kept of requests, so that it can be said later why their copies were chosen. */
  public record Explain(
      @ConfigKey(
              value = "1000",
              min = "0",
              max = "1500",
              doc =
                  "Requests that are kept for /routing/explain?request=ID; 0 for none. Each takes"
                      + " 1 KB of the heap, one of many shards up to 30 KB.")
          int maxRequests) {}

  /** How nodes that are sent nothing are kept known. */
  public record Exploration(
      @ConfigKey(
              value = "500ms",
              min = "10ms",
              max = "1h",
              doc = "An idle node not heard from for this long gets one request.")
          Duration minIdleTime,
      @ConfigKey(value = "0.02", min = "0", max = "1", doc = "In at most this share of choices.")
          double maxRatio) {}
}
