package dev.weir.core.reduce.buckets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.common.Rounding;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;

/** How many empty buckets a histogram needs. */
class FilledGapsTest {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final long START = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli();

  /** A histogram of hours whose bounds are two days, with a document in the middle. */
  private static InternalAggregation hours(long offset) throws IOException {
    Rounding rounding = Rounding.builder(TimeValue.timeValueHours(1)).build();
    return ShardAggregations.dates(
        new ShardAggregations.Head(
            "hours",
            Map.of(),
            BucketOrder.key(true),
            0,
            ShardAggregations.dateFilling(
                rounding, InternalAggregations.EMPTY, new LongBounds(START, START + 2 * DAY)),
            DocValueFormat.RAW,
            false),
        offset,
        List.of(new ShardAggregations.Bucket(START + DAY, 1, InternalAggregations.EMPTY)));
  }

  @Test
  void coverTheBounds() throws IOException {
    assertThat(ReductionWorkspace.estimateGaps(hours(0))).isEqualTo(48);
  }

  @Test
  void coverBoundsThatTheOffsetMovesFarAway() throws IOException {
    assertThat(ReductionWorkspace.estimateGaps(hours(-100_000 * DAY))).isGreaterThan(2_000_000);
    assertThat(ReductionWorkspace.estimateGaps(hours(100_000 * DAY))).isGreaterThan(2_000_000);
  }
}
