package dev.weir.cluster.generation;

/**
 * The times in a reader: no document that a search can find has an earlier or later one.
 *
 * @param min milliseconds since the epoch, inclusive
 * @param max milliseconds since the epoch, inclusive
 */
public record ReaderTimes(long min, long max) {}
