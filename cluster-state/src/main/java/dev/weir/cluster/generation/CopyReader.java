package dev.weir.cluster.generation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one copy of a shard answered, of one moment after the question was sent.
 *
 * @param generation the generation of its reader
 * @param ranges the range of each wanted date field in that reader, in the order of the question;
 *     null for a field that is no date in milliseconds with points, or has no values
 */
public record CopyReader(ReaderGeneration generation, List<@Nullable ReaderTimes> ranges) {}
