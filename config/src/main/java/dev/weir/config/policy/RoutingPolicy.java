package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** How the copies of a shard are ranked. */
public record RoutingPolicy(
    @ConfigKey(
            value = "adaptive",
            doc =
                "How the gateway ranks a shard's copies. adaptive: by expected response time. c3:"
                    + " by the rank of the C3 paper. least-outstanding: by this gateway's requests"
                    + " in flight. round-robin: in turns.")
        Algorithm algorithm,
    @ConfigKey(
            value = "",
            max = "64",
            doc =
                "The gateway's own node attributes as NAME=VALUE, such as zone=a. The gateway"
                    + " prefers copies on nodes with the same values where the cluster uses"
                    + " allocation awareness.")
        List<NodeAttribute> gatewayAttributes,
    @ConfigKey(
            value = "1",
            min = "1",
            max = "1000",
            doc =
                "How many times worse the score of a node with the gateway's attributes may be"
                    + " while it still ranks before other nodes. 1: no preference. Raise it where"
                    + " traffic between zones costs money or time.")
        double remotePenalty,
    @ConfigKey(
            value = "0.05",
            min = "0",
            max = "1",
            doc =
                "Random part that is added to every score, as a ratio of the score, so that many"
                    + " gateways do not choose the same copy at once.")
        double scoreJitterRatio,
    Adaptive adaptive,
    C3 c3,
    Health health,
    Hedging hedging,
    Retries retries,
    Locality locality,
    Explain explain) {

  /** Creates a policy with the default hedging, retries and locality. */
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

  /** The ranking algorithms. */
  public enum Algorithm {
    /** By the expected response time. */
    ADAPTIVE,
    /** By the score of the C3 paper. */
    C3,
    /** By this gateway's outstanding requests, fewest first. */
    LEAST_OUTSTANDING,
    /** In rotation, regardless of load. */
    ROUND_ROBIN
  }

  /** Parameters of the adaptive score. */
  public record Adaptive(
      @ConfigKey(
              value = "13",
              min = "1",
              max = "10000",
              doc = "Size of the search thread pool to assume for a node that does not report it.")
          int defaultSearchThreads,
      @ConfigKey(
              value = "4",
              min = "0",
              max = "1000",
              doc =
                  "How strongly the time since a node should have answered counts in its score."
                      + " Raise it to leave frozen nodes sooner.")
          double noResponseWeight) {}

  /** Parameters of the C3 score. */
  public record C3(
      @ConfigKey(
              value = "1",
              min = "1",
              max = "10000",
              doc =
                  "Number of gateways in front of the same nodes. The rank multiplies this"
                      + " gateway's outstanding requests by it.")
          int gatewayCount,
      @ConfigKey(
              value = "0.3",
              min = "0.001",
              max = "1",
              doc = "Weight of the newest response in the moving averages of the C3 rank.")
          double ewmaAlpha,
      @ConfigKey(
              value = "3",
              min = "1",
              max = "6",
              doc =
                  "Exponent of the queue size in the rank: the higher, the more a long queue"
                      + " counts.")
          double queueExponent,
      @ConfigKey(
              value = "2s",
              min = "10ms",
              max = "1h",
              doc =
                  "Time after which a reported queue size has mostly decayed. In the C3 paper it"
                      + " never decays.")
          Duration queueDecayTime) {}

  /**
   * When a node ranks lower because of failures or missing responses; applies to every algorithm
   * except round-robin.
   */
  public record Health(
      @ConfigKey(
              value = "20",
              min = "0",
              max = "1000000",
              doc = "Factor by which a node's error ratio worsens its score.")
          double failurePenalty,
      @ConfigKey(
              value = "2s",
              min = "10ms",
              max = "1h",
              doc = "Time after which past errors have mostly decayed.")
          Duration failureDecayTime,
      @ConfigKey(
              value = "3",
              min = "1",
              max = "1000",
              doc =
                  "Lost connections or timeouts in a row after which the gateway ejects a node: it"
                      + " then ranks last.")
          int maxConsecutiveFailures,
      @ConfigKey(
              value = "500ms",
              min = "1ms",
              max = "1h",
              doc = "How long the first ejection lasts. Each further one lasts twice as long.")
          Duration baseEjectionTime,
      @ConfigKey(
              value = "16s",
              min = "1ms",
              max = "1h",
              doc = "How long an ejection lasts at most.")
          Duration maxEjectionTime,
      @ConfigKey(
              value = "32",
              min = "1",
              max = "100000",
              doc =
                  "Slow start of a node that the gateway does not know yet: it gets 1, 2, 4 ..."
                      + " requests at a time, up to this many.")
          int maxSlowStartRequests,
      Exploration exploration) {}

  /** Hedged requests for late reads. */
  public record Hedging(
      @ConfigKey(
              value = "true",
              doc =
                  "Whether the gateway sends a read that is late to a second copy too and uses the"
                      + " first response. Never applies to writes.")
          boolean enabled,
      @ConfigKey(
              value = "0.03",
              min = "0",
              max = "1",
              doc = "Hedged requests as a ratio of first requests, in the long run.")
          double budgetRatio,
      @ConfigKey(
              value = "100",
              min = "1",
              max = "100000",
              doc = "Hedged requests that may be sent at once after a quiet time.")
          int maxBurst,
      @ConfigKey(
              value = "0.95",
              min = "0.5",
              max = "0.9999",
              doc = "Quantile of response times after which a request counts as late.")
          double latencyQuantile) {}

  /** Retries on the next copy after a node failed, within a budget that prevents retry storms. */
  public record Retries(
      @ConfigKey(
              value = "0.2",
              min = "0",
              max = "10",
              doc =
                  "Retries on another copy after a node failed, as a ratio of requests, in the long"
                      + " run.")
          double budgetRatio,
      @ConfigKey(
              value = "10",
              min = "0",
              max = "1000000",
              doc = "Retries each second that are always allowed, besides the ratio.")
          double minRetriesPerSecond,
      @ConfigKey(
              value = "100",
              min = "1",
              max = "1000000",
              doc = "Retries that may be sent at once after a quiet time.")
          int maxBurst) {}

  /** The preference of near copies. */
  public record Locality(
      @ConfigKey(
              value = "true",
              doc =
                  "Whether the copy that a preference string or allocation awareness puts first"
                      + " loses its place while its node is ejected or overloaded. false: never, as"
                      + " on a node.")
          boolean failoverEnabled,
      @ConfigKey(
              value = "4",
              min = "1",
              max = "1000",
              doc =
                  "When a node counts as overloaded: all its search threads are busy or it has"
                      + " stopped answering, and its score is this many times the best of the"
                      + " others.")
          double overloadFactor) {}

  /** Which ranking decisions are recorded, so that they can be explained later. */
  public record Explain(
      @ConfigKey(
              value = "1000",
              min = "0",
              max = "1500",
              doc =
                  "Recent requests that the gateway keeps for /routing/explain?request=ID. Each"
                      + " takes 1 KB of heap, one with many shards up to 30 KB. 0: none.")
          int maxRequests) {}

  /** How the gateway keeps measuring nodes that get no requests. */
  public record Exploration(
      @ConfigKey(
              value = "500ms",
              min = "10ms",
              max = "1h",
              doc =
                  "Time without a response after which an idle node gets one request, so that its"
                      + " score stays current.")
          Duration minIdleTime,
      @ConfigKey(
              value = "0.02",
              min = "0",
              max = "1",
              doc = "Largest part of the choices that may go to such nodes.")
          double maxRatio) {}
}
