package dev.weir.node.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.opensearch.common.geo.GeoPoint;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.metrics.InternalGeoCentroid;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.aggregations.metrics.TDigestState;

/** How near estimates are to what aggregations take on the wire. */
final class AggregationEstimateTest {
  private static void assertNear(InternalAggregation... of) {
    InternalAggregations all = InternalAggregations.from(List.of(of));
    long estimated = AggregationEstimate.bytes(all);
    long written = all.getSerializedSize();
    assertThat(estimated).isBetween(written / 3, written * 3);
  }

  @Test
  void countsBuckets() {
    assertNear(HeldAggregationsTest.terms(1));
    assertNear(HeldAggregationsTest.terms(2000));
  }

  @Test
  void countsMetrics() {
    assertNear(
        new InternalValueCount("n", 3, null),
        new InternalStats("stats", 3, 0.1, 0.7, 1.1, DocValueFormat.RAW, null));
  }

  @Test
  void measuresOtherAggregations() {
    assertNear(new InternalGeoCentroid("center", new GeoPoint(1, 2), 7, null));
  }

  @Test
  void leavesSketchesAsTheyAre() {
    AtomicInteger compressions = new AtomicInteger();
    TDigestState digest =
        new TDigestState(100) {
          @Override
          public void compress() {
            compressions.incrementAndGet();
            super.compress();
          }
        };
    for (int i = 0; i < 500; i++) {
      digest.add(i);
    }
    InternalAggregation percentiles =
        new InternalTDigestPercentiles(
            "p", new double[] {50}, digest, false, DocValueFormat.RAW, null);
    compressions.set(0);
    assertThat(AggregationEstimate.bytes(InternalAggregations.from(List.of(percentiles))))
        .isPositive();
    assertThat(compressions).hasValue(0);
    assertNear(percentiles);
  }
}
