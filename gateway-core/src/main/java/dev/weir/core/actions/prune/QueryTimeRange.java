package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.DateBounds;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.pruning.RangeQueryConstraint;
import org.opensearch.common.time.DateMathParser;
import org.opensearch.index.mapper.DateFieldMapper;

/**
 * The times that a range query on a date field asks for, as a shard reads it: milliseconds since
 * 1970, inclusive.
 */
record QueryTimeRange(long min, long max) {
  /**
   * Reads a query; null where that can't be done, so that shards say why.
   *
   * @param parser of the query's own format, or else of the field's
   * @param now the search's own, in milliseconds
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

  /** Whether none of these values is asked for. */
  boolean isDisjointFrom(DateBounds bounds) {
    return bounds.max() < min || bounds.min() > max;
  }
}
