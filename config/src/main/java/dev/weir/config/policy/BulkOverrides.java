package dev.weir.config.policy;

/**
 * How the gateway writes bulks of some routes. Bytes in flight to a node and retries are the same
 * for all requests.
 */
public record BulkOverrides(
    BulkPolicy.SingleShard singleShard,
    BulkPolicy.TruncateKeywords truncateKeywords,
    BulkPolicy.Merge merge,
    BulkPolicy.Streaming streaming) {

  /** The bulk policy of these routes, with the keys that are the same for all. */
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
