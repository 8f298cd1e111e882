package dev.weir.config.policy;

/**
 * How bulks of some routes are written. What nodes may have under way, and what is sent again to
 * them, is the same for all.
 */
public record BulkOverrides(
    BulkPolicy.SingleShard singleShard,
    BulkPolicy.TruncateKeywords truncateKeywords,
    BulkPolicy.Merge merge,
    BulkPolicy.Streaming streaming) {

  /** With what is the same for all requests. */
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
