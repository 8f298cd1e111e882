package dev.weir.advice.snapshot;

/**
 * A copy of a shard.
 *
 * @param node the name of its node; empty while it has none
 * @param bytes on disk
 * @param queries that it has run since it was opened
 */
public record ShardFacts(
    String index,
    int shard,
    boolean primary,
    boolean assigned,
    String node,
    long bytes,
    long queries) {}
