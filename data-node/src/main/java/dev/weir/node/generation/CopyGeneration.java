package dev.weir.node.generation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one copy answers. While {@code reader} and both versions stay the same on one run of the
 * node, a search on the copy answers the same.
 *
 * @param reader the number of the reader that a search on the copy uses, unique on this run of the
 *     node ({@link ReaderNumbers})
 * @param mappingVersion the version of the index's mapping that the copy uses
 * @param settingsVersion the version of the index's settings that the copy uses
 * @param ranges the range of each wanted field in this reader, in the order of the request; null
 *     for a field without a range
 */
record CopyGeneration(
    long reader, long mappingVersion, long settingsVersion, List<@Nullable DateRange> ranges) {
  /**
   * The values of a date field in a reader: at least those of all documents that a search can find.
   *
   * @param min milliseconds since the epoch, inclusive
   * @param max milliseconds since the epoch, inclusive
   */
  record DateRange(long min, long max) {}
}
