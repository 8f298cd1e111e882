package dev.weir.advice.snapshot;

/**
 * A copy of a shard.
 *
 * @param node the name of its node; empty while it has none
 * @param bytes on disk
 * @param queries that it has run since it was opened
 * @param openMillis how long it has been open; -1 if that is unknown
 */
public record ShardFacts(
    String index,
    int shard,
    boolean primary,
    boolean assigned,
    String node,
    long bytes,
    long queries,
    long openMillis) {
  /** Returns the same copy with another time for which it has been open. */
  ShardFacts withOpenMillis(long millis) {
    return new ShardFacts(index, shard, primary, assigned, node, bytes, queries, millis);
  }
}
