package dev.weir.config.policy;

/**
 * How much of the gateway's memory, and of the nodes', one request of some routes may hold. The
 * limits of all requests together are the same for all routes.
 */
public record RequestMemoryOverrides(
    @ConfigKey(
            value = "40%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes that one request of these routes may hold, like"
                    + " admission.request-memory.max-bytes.")
        ByteSize maxBytes,
    NodeCeilingPolicy nodeCeiling) {

  /** Returns the memory policy of these routes, with the keys that all requests share. */
  RequestMemoryPolicy applyTo(RequestMemoryPolicy whole) {
    return new RequestMemoryPolicy(
        whole.enabled(),
        maxBytes,
        whole.maxTotalReduceBytes(),
        whole.maxPoolRatio(),
        whole.maxParsedBytes(),
        whole.maxItems(),
        whole.maxWait(),
        whole.passThrough(),
        nodeCeiling);
  }
}
