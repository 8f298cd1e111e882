package dev.weir.config.policy;

import java.time.Duration;

/** How much of the gateway's memory one request may hold, and all requests together. */
public record RequestMemoryPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether the gateway bounds the memory of each request, so that one that needs too"
                    + " much fails alone. false: only what all requests hold together is bounded.")
        boolean enabled,
    @ConfigKey(
            value = "40%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes that one request may hold: its body, node responses, their decoded"
                    + " objects, reductions, and its response until the client has received it. A"
                    + " size, or a percentage of the heap. A request beyond it gets 429.")
        ByteSize maxBytes,
    @ConfigKey(
            value = "30%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes of decoded node responses and of reductions, of all requests together."
                    + " A size, or a percentage of the heap. Requests beyond it get 429.")
        ByteSize maxTotalReduceBytes,
    @ConfigKey(
            value = "0.8",
            min = "0.1",
            max = "1",
            doc =
                "Largest part of a memory pool (bodies, responses, reductions) that one request or"
                    + " one tenant may hold while no other holds any; the more others hold, the"
                    + " less. 1: all of it.")
        double maxPoolRatio,
    @ConfigKey(
            value = "32mb",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes that the parsed body of a search, multi-search, multi-get or the like"
                    + " may take, as the gateway estimates before it parses. A request beyond it"
                    + " passes through to a node.")
        ByteSize maxParsedBytes,
    @ConfigKey(
            value = "10000",
            min = "1",
            max = "10000000",
            doc =
                "Items that a multi-get or multi-search may have. A request with more passes"
                    + " through to a node.")
        int maxItems,
    @ConfigKey(
            value = "10s",
            min = "0s",
            max = "5m",
            doc =
                "How long a search that finds no memory may wait for it; at most half of the time"
                    + " that its deadline leaves. 0s: it does not wait.")
        Duration maxWait,
    @ConfigKey(
            value = "true",
            doc =
                "Whether a search that finds no memory, also after a wait, passes through to a"
                    + " node. false: it gets 429.")
        boolean passThrough,
    NodeCeilingPolicy nodeCeiling) {
  private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(10);

  /** A policy with the default limits of parsed bodies and the default wait. */
  public RequestMemoryPolicy(
      boolean enabled, ByteSize maxBytes, ByteSize maxTotalReduceBytes, double maxPoolRatio) {
    this(enabled, maxBytes, maxTotalReduceBytes, maxPoolRatio, DEFAULT_MAX_WAIT, true);
  }

  /** A policy with the default limits of parsed bodies. */
  public RequestMemoryPolicy(
      boolean enabled,
      ByteSize maxBytes,
      ByteSize maxTotalReduceBytes,
      double maxPoolRatio,
      Duration maxWait,
      boolean passThrough) {
    this(
        enabled,
        maxBytes,
        maxTotalReduceBytes,
        maxPoolRatio,
        new ByteSize(32L << 20),
        10_000,
        maxWait,
        passThrough,
        NodeCeilingPolicy.NONE);
  }
}
