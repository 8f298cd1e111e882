package dev.weir.config.policy;

/**
 * How bulks of some routes are written. What nodes may have under way, and what is sent again to
 * them, is the same for all.
 */
public record RouteBulk(
    BulkPolicy.Directed directed,
    BulkPolicy.TruncateKeywords truncateKeywords,
    BulkPolicy.Merge merge,
    BulkPolicy.Streaming streaming) {

  /** With what is the same for all requests. */
  BulkPolicy within(BulkPolicy whole) {
    return new BulkPolicy(
        directed, whole.maxNodeBytes(), whole.retry(), truncateKeywords, merge, streaming);
  }
}
