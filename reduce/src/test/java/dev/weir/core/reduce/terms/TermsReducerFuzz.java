package dev.weir.core.reduce.terms;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalStats;

/**
 * Whatever a shard sends, terms are reduced as numbers to a response, or left to the reduction of
 * objects. No exception escapes.
 */
class TermsReducerFuzz {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  @FuzzTest
  void reducesOrLeavesToObjects(byte[] shard) throws IOException {
    check(shard, terms(new Random(1)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void reducesDamagedShardsOrLeavesThemToObjects(long seed) throws IOException {
    Random random = new Random(seed);
    int reduced = 0;
    for (int round = 0; round < 10_000; round++) {
      BytesRef whole = terms(random).bytes();
      byte[] shard = Arrays.copyOfRange(whole.bytes, whole.offset, whole.offset + whole.length);
      for (int n = random.nextInt(4); n > 0; n--) {
        int at = random.nextInt(shard.length);
        switch (random.nextInt(3)) {
          case 0 -> shard[at] = (byte) random.nextInt();
          case 1 -> shard[at] ^= (byte) (1 << random.nextInt(8));
          default -> shard = Arrays.copyOf(shard, Math.max(1, at));
        }
      }
      reduced += check(shard, terms(random)) ? 1 : 0;
    }
    assertThat(reduced).isBetween(1000, 9000);
  }

  private static AggregationBytes terms(Random random) throws IOException {
    BucketOrder order = BucketOrder.compound(BucketOrder.count(false));
    BucketCountThresholds thresholds = new BucketCountThresholds(1, 0, 3, 5);
    InternalAggregation terms =
        random.nextBoolean()
            ? new StringTerms(
                "t",
                BucketOrder.key(true),
                order,
                null,
                DocValueFormat.RAW,
                5,
                false,
                random.nextInt(5),
                stringBuckets(random),
                0,
                thresholds)
            : new LongTerms(
                "t",
                BucketOrder.key(true),
                order,
                null,
                DocValueFormat.RAW,
                5,
                false,
                random.nextInt(5),
                longBuckets(random),
                0,
                thresholds);
    return TermsFixture.bytes(terms);
  }

  private static List<StringTerms.Bucket> stringBuckets(Random random) {
    List<StringTerms.Bucket> buckets = new ArrayList<>();
    for (char key = 'a'; key < 'g'; key++) {
      if (random.nextBoolean()) {
        buckets.add(
            new StringTerms.Bucket(
                new BytesRef("key-" + key),
                1 + random.nextInt(9),
                metrics(random),
                false,
                0,
                DocValueFormat.RAW));
      }
    }
    return buckets;
  }

  private static List<LongTerms.Bucket> longBuckets(Random random) {
    List<LongTerms.Bucket> buckets = new ArrayList<>();
    for (long key = 0; key < 6; key++) {
      if (random.nextBoolean()) {
        buckets.add(
            new LongTerms.Bucket(
                key * 100, 1 + random.nextInt(9), metrics(random), false, 0, DocValueFormat.RAW));
      }
    }
    return buckets;
  }

  private static InternalAggregations metrics(Random random) {
    return InternalAggregations.from(
        List.of(
            new InternalAvg("a", random.nextDouble(), 2, DocValueFormat.RAW, null),
            new InternalStats(
                "s", 3, random.nextDouble(), 0, random.nextDouble(), DocValueFormat.RAW, null)));
  }

  /** Returns whether the terms were reduced as numbers. */
  private static boolean check(byte[] shard, AggregationBytes other) throws IOException {
    InternalAggregations reduced =
        TermsReducer.reduce(
            List.of(
                new AggregationBytes(new BytesRef(shard), Version.CURRENT, REGISTRIES.writeables()),
                other),
            TermsFixture.context(bucket -> {}));
    if (reduced == null) {
      return false;
    }
    for (Aggregation terms : reduced) {
      for (MultiBucketsAggregation.Bucket bucket : ((MultiBucketsAggregation) terms).getBuckets()) {
        assertThat(bucket.getAggregations().asList()).isNotNull();
      }
    }
    return true;
  }
}
