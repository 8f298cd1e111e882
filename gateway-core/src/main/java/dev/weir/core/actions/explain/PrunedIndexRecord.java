package dev.weir.core.actions.explain;

/**
 * An index that a search left out.
 *
 * @param index its name
 * @param shards how many of its shards were left out
 * @param field by which
 * @param minValue the earliest time in it, milliseconds since 1970
 * @param maxValue the latest time in it, milliseconds since 1970
 */
public record PrunedIndexRecord(
    String index, int shards, String field, long minValue, long maxValue) {}
