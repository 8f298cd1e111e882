package dev.weir.config.policy;

/**
 * What one request of some routes may hold of the gateway's memory. What all may hold together is
 * the same for all.
 */
public record RequestMemoryOverrides(
    @ConfigKey(
            value = "40%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes that one request of these routes may hold, like"
                    + " admission.request-memory.max-bytes.")
        ByteSize maxBytes) {

  /** With what is the same for all requests. */
  RequestMemoryPolicy applyTo(RequestMemoryPolicy whole) {
    return new RequestMemoryPolicy(
        whole.enabled(), maxBytes, whole.maxTotalReduceBytes(), whole.maxPoolRatio());
  }
}
