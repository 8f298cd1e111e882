package dev.weir.config.policy;

/**
 * How the gateway writes bulks of some routes. Limits of bytes in flight to a node, and retries,
 * are the same for all requests.
 */
public record BulkOverrides(
    BulkPolicy.SingleShard singleShard,
    BulkPolicy.TruncateKeywords truncateKeywords,
    BulkPolicy.Merge merge,
    BulkPolicy.Streaming streaming) {

  /** Returns the bulk policy of these routes, with the keys that all requests share. */
  BulkPolicy applyTo(BulkPolicy whole) {
    return new BulkPolicy(
        singleShard,
        whole.maxInFlightBytesPerNode(),
        whole.retry(),
        truncateKeywords,
        merge,
        streaming);
  }
}
