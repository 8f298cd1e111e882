package dev.weir.node.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.DoubleHistogram;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.geo.GeoPoint;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchModule;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.HyperLogLogPlusPlus;
import org.opensearch.search.aggregations.metrics.InternalCardinality;
import org.opensearch.search.aggregations.metrics.InternalGeoCentroid;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentiles;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.aggregations.metrics.TDigestState;

/** How near estimates are to what aggregations take on the wire. */
final class AggregationEstimateTest {
  private static final double[] PERCENTS = {1, 5, 25, 50, 75, 95, 99};

  private static final NamedWriteableRegistry WRITEABLES =
      new NamedWriteableRegistry(new SearchModule(Settings.EMPTY, List.of()).getNamedWriteables());

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

  private static InternalAggregation percentiles(int values, double compression) {
    return new InternalTDigestPercentiles(
        "p", PERCENTS, digest(values, compression), false, DocValueFormat.RAW, null);
  }

  private static TDigestState digest(int values, double compression) {
    TDigestState digest = new TDigestState(compression);
    Random random = new Random(values);
    for (int i = 0; i < values; i++) {
      digest.add(random.nextDouble());
    }
    return digest;
  }

  private static InternalAggregation cardinality(int values, int precision) throws IOException {
    try (HyperLogLogPlusPlus counts =
            new HyperLogLogPlusPlus(precision, BigArrays.NON_RECYCLING_INSTANCE, 1);
        BytesStreamOutput out = new BytesStreamOutput()) {
      Random random = new Random(values);
      for (int i = 0; i < values; i++) {
        counts.collect(0, random.nextLong());
      }
      out.writeString("c");
      out.writeMap(null);
      out.writeNamedWriteable(DocValueFormat.RAW);
      out.writeBoolean(true);
      counts.writeTo(0, out);
      try (StreamInput in =
          new NamedWriteableAwareStreamInput(out.bytes().streamInput(), WRITEABLES)) {
        return new InternalCardinality(in);
      }
    }
  }

  /** Terms of 1000 buckets with a metric in each. */
  private static InternalAggregation termsOf(InternalAggregation metric) {
    InternalAggregations inner = InternalAggregations.from(List.of(metric));
    BucketOrder order = BucketOrder.key(true);
    DocValueFormat raw = DocValueFormat.RAW;
    return new StringTerms(
        "t",
        order,
        order,
        null,
        raw,
        1000,
        false,
        0,
        IntStream.range(0, 1000)
            .mapToObj(
                i -> new StringTerms.Bucket(new BytesRef("word-" + i), 1, inner, false, 0, raw))
            .toList(),
        0,
        new BucketCountThresholds(1, 0, 1000, 1000));
  }

  @ParameterizedTest
  @CsvSource({"0, 100", "3, 100", "3, 5", "150, 100", "500, 5", "50000, 100", "50000, 1000"})
  void countsTheValuesOfDigests(int values, double compression) {
    assertNear(percentiles(values, compression));
    assertNear(
        new InternalTDigestPercentileRanks(
            "r", PERCENTS, digest(values, compression), false, DocValueFormat.RAW, null));
    assertNear(termsOf(percentiles(values, compression)));
  }

  @ParameterizedTest
  @CsvSource({"0, 14", "3, 14", "3, 18", "100000, 14", "100000, 18"})
  void measuresSketchesOfCardinalities(int values, int precision) throws IOException {
    assertNear(cardinality(values, precision));
    if (values < 100_000) { // with many buckets as large, it takes long
      assertNear(termsOf(cardinality(values, precision)));
    }
  }

  @Test
  void measuresHistograms() {
    DoubleHistogram histogram = new DoubleHistogram(3);
    for (int i = 1; i < 100_000; i++) {
      histogram.recordValue(i);
    }
    assertNear(
        new InternalHDRPercentiles("h", PERCENTS, histogram, false, DocValueFormat.RAW, null));
  }
}
