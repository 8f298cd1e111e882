package dev.weir.core.actions.explain;

/**
 * An index that a search pruned.
 *
 * @param index its name
 * @param shards the number of its pruned shards
 * @param field the date field that the pruning used
 * @param minValue the earliest value of that field, milliseconds since the epoch
 * @param maxValue the latest value of that field, milliseconds since the epoch
 */
public record PrunedIndexRecord(
    String index, int shards, String field, long minValue, long maxValue) {}
