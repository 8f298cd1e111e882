package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** How a shard's copies are put in order. */
public record RoutingPolicy(
    @Setting(value = "c3", doc = "c3: by measured load of the nodes; round-robin: in turns.")
        Choice policy,
    @Setting(
            value = "",
            max = "64",
            doc =
                "The gateway's own attributes as NAME=VALUE, such as zone=a; copies on nodes that"
                    + " have the same are preferred where the cluster is set to allocation"
                    + " awareness.")
        List<Attribute> attributes,
    C3 c3,
    Health health) {

  /** The ways to choose. */
  public enum Choice {
    /** By the corrected C3 score. */
    C3,
    /** In turns, blind to load. */
    ROUND_ROBIN
  }

  /** Parameters of the C3 score. */
  public record C3(
      @Setting(
              value = "1",
              min = "1",
              max = "10000",
              doc = "Gateways that send to the same nodes; weighs this one's outstanding requests.")
          int clients,
      @Setting(
              value = "0.3",
              min = "0.001",
              max = "1",
              doc = "Weight of a new sample in an average.")
          double alpha,
      @Setting(value = "3", min = "1", max = "6", doc = "How steeply a queue counts.")
          double exponent,
      @Setting(value = "0.05", min = "0", max = "1", doc = "Random share added to every score.")
          double jitter,
      @Setting(
              value = "10s",
              min = "100ms",
              max = "1h",
              doc = "In this time a node that is sent nothing regains most of a good node's rank.")
          Duration driftTime,
      @Setting(
              value = "2s",
              min = "10ms",
              max = "1h",
              doc = "In this time a reported queue size is mostly forgotten.")
          Duration queueMemory) {}

  /** When a node is trusted less. */
  public record Health(
      @Setting(value = "20", min = "0", max = "1000000", doc = "Factor that errors put on a score.")
          double failurePenalty,
      @Setting(value = "2s", min = "10ms", max = "1h", doc = "Errors are mostly forgotten after.")
          Duration failureMemory,
      @Setting(
              value = "3",
              min = "1",
              max = "1000",
              doc = "Connections lost or timeouts in a row after which a node is tried last.")
          int ejectAfter,
      @Setting(value = "500ms", min = "1ms", max = "1h", doc = "For how long; doubles each time.")
          Duration ejectFor,
      @Setting(value = "16s", min = "1ms", max = "1h", doc = "For how long at most.")
          Duration ejectMax,
      @Setting(
              value = "32",
              min = "1",
              max = "100000",
              doc = "A node not yet known gets 1, 2, 4 ... requests at a time up to this many.")
          int slowStart) {}
}
