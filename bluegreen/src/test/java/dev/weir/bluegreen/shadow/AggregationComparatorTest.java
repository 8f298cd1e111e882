package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Different;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Same;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Similar;
import dev.weir.bluegreen.shadow.HitsComparator.Paging;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Aggregations with as many buckets as a client may ask for. */
class AggregationComparatorTest {
  /** Work that grows with the square of this number takes many minutes. */
  private static final int BUCKETS = 200_000;

  private static ComparisonVerdict compare(Object primary, Object shadow) {
    DifferenceCollector differences = new DifferenceCollector();
    HitsComparator hits = new HitsComparator(differences, 0.99, new Paging(false, false, false));
    new AggregationComparator(differences, hits, 0.01).compare("aggregations", primary, shadow);
    return differences.toVerdict();
  }

  private static Map<String, Object> bucket(String key, long count) {
    return Map.of("key", key, "doc_count", count);
  }

  private static Map<String, Object> aggregation(
      int size, long left, IntFunction<Map<String, Object>> bucket) {
    List<Object> buckets = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      buckets.add(bucket.apply(i));
    }
    Map<String, Object> aggregation = new LinkedHashMap<>();
    aggregation.put("sum_other_doc_count", left);
    aggregation.put("buckets", buckets);
    return aggregation;
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void compareManyBucketsOfOneKeyInTheirOrder() {
    Map<String, Object> one = aggregation(BUCKETS, 0, i -> bucket("a", i));
    assertThat(compare(one, aggregation(BUCKETS, 0, i -> bucket("a", i)))).isEqualTo(new Same());
    Object other = aggregation(BUCKETS, 0, i -> bucket("a", i == BUCKETS - 1 ? 7 : i));
    assertThat(((Different) compare(one, other)).differences())
        .singleElement()
        .extracting(ComparisonVerdict.Difference::path)
        .isEqualTo("aggregations.buckets[a (" + BUCKETS + ")].doc_count");
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void compareManyBucketsThatOnlyOneClusterShows() {
    Object one = aggregation(BUCKETS, 9, i -> bucket("a" + i, 5));
    Object other = aggregation(BUCKETS, 9, i -> bucket("b" + i, 5));
    assertThat(compare(one, other)).isEqualTo(new Similar());
  }

  @Test
  void keepABucketWhoseKeyLooksNumbered() {
    List<String> keys = List.of("a (2)", "a", "a", "a (2)", "a");
    Object one = aggregation(keys.size(), 0, i -> bucket(keys.get(i), i));
    assertThat(compare(one, one)).isEqualTo(new Same());
    for (int changed = 0; changed < keys.size(); changed++) {
      int at = changed;
      Object other = aggregation(keys.size(), 0, i -> bucket(keys.get(i), i == at ? 99 : i));
      assertThat(compare(one, other)).as("bucket %d", at).isInstanceOf(Different.class);
    }
  }
}
