package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.DateBounds;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.pruning.RangeQueryConstraint;
import org.opensearch.common.time.DateMathParser;
import org.opensearch.index.mapper.DateFieldMapper;

/**
 * The times that a range query on a date field matches, as a shard parses it: milliseconds since
 * the epoch, inclusive.
 */
record QueryTimeRange(long min, long max) {
  /**
   * Parses a query; null if it is malformed, so that the shards report the error.
   *
   * @param parser of the query's own format, or else of the field's
   * @param now the search's start, milliseconds since the epoch
   */
  static @Nullable QueryTimeRange parse(
      RangeQueryConstraint query, DateMathParser parser, LongSupplier now) {
    if (query.relation() != null) {
      return null;
    }
    try {
      ZoneId zone = query.timeZone() == null ? null : ZoneId.of(query.timeZone());
      long min = Long.MIN_VALUE;
      if (query.hasLowerBound()) {
        boolean above = !query.includeLower();
        min =
            Math.addExact(parseMillis(query.lowerValue(), above, zone, parser, now), above ? 1 : 0);
      }
      long max = Long.MAX_VALUE;
      if (query.hasUpperBound()) {
        boolean below = !query.includeUpper();
        max =
            Math.subtractExact(
                parseMillis(query.upperValue(), !below, zone, parser, now), below ? 1 : 0);
      }
      return min > max ? null : new QueryTimeRange(min, max);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  private static long parseMillis(
      Object value, boolean up, @Nullable ZoneId zone, DateMathParser parser, LongSupplier now) {
    return DateFieldMapper.DateFieldType.parseToLong(
        value, up, zone, parser, now, DateFieldMapper.Resolution.MILLISECONDS);
  }

  /** Returns whether the query matches none of these values. */
  boolean isDisjointFrom(DateBounds bounds) {
    return bounds.max() < min || bounds.min() > max;
  }
}
