package dev.weir.core.actions.prune;

import dev.weir.cluster.bounds.DateBounds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.pruning.QueryConstraint;
import org.opensearch.action.search.pruning.RangeQueryConstraint;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.time.DateMathParser;
import org.opensearch.index.mapper.DateFieldMapper;

/**
 * The time ranges that every hit of one search matches, by field; each is parsed once per format.
 */
public final class QueryTimeConstraints {
  private final List<QueryConstraint> constraints;
  private final LongSupplier now;
  private final Map<String, Optional<DateMathParser>> parsers = new HashMap<>();
  private final Map<RangeAndFormat, Optional<QueryTimeRange>> ranges = new HashMap<>();

  /** A range, and the format of the field that it applies to. */
  private record RangeAndFormat(int constraintIndex, String format) {}

  /**
   * Creates the constraints of a search.
   *
   * @param wanted the ranges that every hit matches
   * @param now the search's start, milliseconds since the epoch
   */
  QueryTimeConstraints(List<QueryConstraint> wanted, LongSupplier now) {
    this.constraints = wanted;
    this.now = now;
  }

  /**
   * A range of the search that some bounds miss.
   *
   * @param field the field with these bounds
   * @param times the range, parsed by the field's format
   */
  record MissedRange(String field, QueryTimeRange times) {}

  /** A field by which an index with these bounds has no hit; null for none. */
  @Nullable String nonMatchingField(Map<String, DateBounds> bounds) {
    MissedRange missed = findMissedRange(bounds);
    return missed == null ? null : missed.field();
  }

  /** A range because of which documents within these bounds are no hits; null for none. */
  @Nullable MissedRange findMissedRange(Map<String, DateBounds> bounds) {
    for (int number = 0; number < constraints.size(); number++) {
      if (!(constraints.get(number) instanceof RangeQueryConstraint range)) {
        continue;
      }
      DateBounds of = bounds.get(range.field());
      if (of == null) {
        continue;
      }
      String format = range.format() == null ? of.format() : range.format();
      QueryTimeRange times =
          ranges
              .computeIfAbsent(
                  new RangeAndFormat(number, format),
                  asked ->
                      parser(format)
                          .flatMap(parser ->
                              Optional.ofNullable(QueryTimeRange.parse(range, parser, now))))
              .orElse(null);
      if (times != null && times.isDisjointFrom(of)) {
        return new MissedRange(range.field(), times);
      }
    }
    return null;
  }

  private Optional<DateMathParser> parser(String format) {
    return parsers.computeIfAbsent(
        format,
        pattern -> {
          try {
            DateFormatter formatter =
                pattern.isEmpty()
                    ? DateFieldMapper.getDefaultDateTimeFormatter()
                    : DateFormatter.forPattern(pattern);
            return Optional.of(formatter.toDateMathParser());
          } catch (RuntimeException unreadable) {
            return Optional.empty();
          }
        });
  }
}
