package dev.weir.core.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.histogram.InternalHistogram;

class EmptyBucketEstimatorTest {
  private final EmptyBucketEstimator filling = new EmptyBucketEstimator();

  /** Creates a histogram with an interval of one and documents at these keys. */
  private static InternalHistogram at(long... keys) {
    List<InternalHistogram.Bucket> buckets =
        LongStream.of(keys)
            .mapToObj(key ->
                new InternalHistogram.Bucket(
                    key, 1, false, DocValueFormat.RAW, InternalAggregations.EMPTY))
            .toList();
    return new InternalHistogram(
        "by-size",
        buckets,
        BucketOrder.key(true),
        0,
        new InternalHistogram.EmptyBucketInfo(
            1, 0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, InternalAggregations.EMPTY),
        DocValueFormat.RAW,
        false,
        Map.of());
  }

  @Test
  void fillsOneThatEachAnswerHasOnceOverTheWholeStretch() {
    assertThat(filling.startResponse().recordHistogram(at(0, 100))).isEqualTo(99);
    assertThat(filling.startResponse().recordHistogram(at(900, 1000))).isEqualTo(999);
  }

  @Test
  void countsThoseWithinBucketsThatShardsHaveInCommonOnce() {
    long needed = 0;
    for (int shard = 0; shard < 25; shard++) {
      EmptyBucketEstimator.ResponseEstimate answer = filling.startResponse();
      for (int term = 0; term < 80; term++) {
        needed = answer.recordHistogram(at(0, 100));
      }
    }
    assertThat(needed).isEqualTo(80 * 99);
  }

  @Test
  void countsThoseOfTheAnswerThatIsShortOfMost() {
    EmptyBucketEstimator.ResponseEstimate one = filling.startResponse();
    EmptyBucketEstimator.ResponseEstimate other = filling.startResponse();
    one.recordHistogram(at(0, 10));
    other.recordHistogram(at(0, 20));
    one.recordHistogram(at(0, 10));
    assertThat(other.recordHistogram(at(0, 30))).as("read at the same time").isEqualTo(19 + 29);
    assertThat(one.recordHistogram(at(0, 10))).isEqualTo(19 + 29);
  }
}
