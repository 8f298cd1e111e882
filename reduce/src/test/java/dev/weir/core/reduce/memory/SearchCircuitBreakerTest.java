package dev.weir.core.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.RequestMemory.Category;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.builder.SearchSourceBuilder;

class SearchCircuitBreakerTest {
  private static final long MB = 1 << 20;

  private final MemoryPool work = new MemoryPool(100 * MB);
  private final GatewayMemory gateway =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(10 * MB), new ByteSize(100 * MB), 0.8),
          new GatewayMemory.Pools(new MemoryPool(MB), new MemoryPool(MB), work),
          () -> 0);
  private final RequestMemoryAccount ledger = gateway.openAccount("GET", "/", null);
  private final HeapBytesEstimator costs = new HeapBytesEstimator();
  private final AggregationShape terms =
      AggregationShape.of(
          new SearchSourceBuilder()
              .aggregation(
                  AggregationBuilders.terms("by-user")
                      .field("user")
                      .subAggregation(AggregationBuilders.avg("took").field("took"))));

  private SearchCircuitBreaker breaker() {
    return new SearchCircuitBreaker(ledger, new NoopCircuitBreaker("request"), costs, terms);
  }

  @Test
  void knowsShapesByTypesAndHowTheyAreNested() {
    assertThat(terms.key()).isEqualTo("terms(avg)");
    assertThat(terms.names()).containsExactly("aggregation [by-user] (terms)");
    assertThat(terms.hasGapFilling()).isFalse();
    AggregationShape dates =
        AggregationShape.of(
            new SearchSourceBuilder()
                .aggregation(
                    AggregationBuilders.global("g")
                        .subAggregation(
                            AggregationBuilders.dateHistogram("d")
                                .field("at")
                                .fixedInterval(DateHistogramInterval.SECOND))));
    assertThat(dates.hasGapFilling()).isTrue();
    assertThat(AggregationShape.of(null)).isEqualTo(AggregationShape.NONE);
  }

  @Test
  void reserveForObjectsInsteadOfBytes() {
    SearchCircuitBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(100_000, "<reduce_aggs>");
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES)).isEqualTo(800_000);

    breaker.recordExpanded(100_000, 1_500_000);
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES)).as("as measured").isEqualTo(1_500_000);
    breaker.addWithoutBreaking(-60_000);
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES))
        .as("what is left after reducing")
        .isEqualTo(320_000);
    breaker.close();
    assertThat(ledger.usedBytes()).isZero();

    assertThat(costs.estimateRatio(terms.key(), 8)).as("learned").isEqualTo(30);
    SearchCircuitBreaker next = breaker();
    next.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES)).isEqualTo(30_000);
    next.close();
  }

  @Test
  void reserveTheMeasuredBytesUntilTheReduction() {
    SearchCircuitBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(100_000, "<reduce_aggs>");
    breaker.recordExpanded(50_000, 1_400_000);
    breaker.recordExpanded(50_000, 1_600_000);
    breaker.addEstimateBytesAndMaybeBreak(0, "<reduce_aggs>");
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES))
        .as("looked at again")
        .isEqualTo(3_000_000);
    breaker.addEstimateBytesAndMaybeBreak(50_000, "<reduce_aggs>");
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES))
        .as("with what it becomes")
        .isEqualTo(3_400_000);
    breaker.correctReservation(-10_000_000);
    breaker.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES))
        .as("less than nothing, and something")
        .isEqualTo(8_000);
    breaker.addWithoutBreaking(-131_000);
    assertThat(ledger.usedBytes(Category.DECODED_RESPONSES))
        .as("what is left after reducing")
        .isEqualTo(160_000);
    breaker.close();
    assertThat(ledger.usedBytes()).isZero();
  }

  @Test
  void rejectBeforeExpandingAResultAndNameIt() {
    SearchCircuitBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(MB, "<reduce_aggs>");
    assertThatThrownBy(() -> breaker.addEstimateBytesAndMaybeBreak(MB, "<reduce_aggs>"))
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("data for [decoded answers]")
        .hasMessageContaining("aggregation [by-user] (terms)");
    assertThat(ledger.usedBytes()).isEqualTo(8 * MB);
    breaker.close();
  }

  @Test
  void nameWhatTheFullHeapRejects() {
    CircuitBreaker full =
        new NoopCircuitBreaker("parent") {
          @Override
          public double addEstimateBytesAndMaybeBreak(long bytes, String label) {
            throw new CircuitBreakingException(label, CircuitBreaker.Durability.TRANSIENT);
          }
        };
    SearchCircuitBreaker breaker = new SearchCircuitBreaker(ledger, full, costs, terms);
    assertThatThrownBy(() -> breaker.reserveInnerHits(1000)).hasMessageContaining("<inner_hits>");
    assertThatThrownBy(() -> breaker.reserveWorkspace(1000)).hasMessageContaining("<reduce_aggs>");
    assertThat(ledger.usedBytes()).isZero();
    breaker.close();
  }

  @Test
  void paysForBucketsWithoutDocumentsAsTheyAreMade() {
    SearchCircuitBreaker breaker = breaker();
    AccountedBucketConsumer buckets = new AccountedBucketConsumer(Integer.MAX_VALUE, breaker);
    int made = 0;
    CircuitBreakingException refused = null;
    while (refused == null) {
      try {
        buckets.accept(0);
        made++;
      } catch (CircuitBreakingException e) {
        refused = e;
      }
    }
    assertThat(made * SearchCircuitBreaker.BUCKET_BYTES).isBetween(9 * MB, 10 * MB);
    assertThat(refused.getMessage()).contains("data for [reduction]", "buckets without documents");
    assertThat(ledger.usedBytes(Category.REDUCTION)).isLessThanOrEqualTo(10 * MB);
    breaker.close();
  }

  @Test
  void takesNothingMoreOnceItIsClosed() {
    SearchCircuitBreaker breaker = breaker();
    breaker.reserveHits(5000);
    breaker.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    breaker.close();
    breaker.close();
    assertThatThrownBy(() -> breaker.reserveBuckets(10)).hasMessageContaining("given up");
    assertThatThrownBy(() -> breaker.correctReservation(10)).hasMessageContaining("given up");
    breaker.addWithoutBreaking(-1000);
    breaker.reserveExpectedBuckets(1000, "histogram");
    breaker.reserveHits(1000);
    assertThat(ledger.usedBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void returnToZeroForAnyOutcome(long seed) {
    Random random = new Random(seed);
    for (int search = 0; search < 50; search++) {
      SearchCircuitBreaker breaker = breaker();
      List<Long> onWire = new ArrayList<>();
      for (int step = 0; step < 100; step++) {
        try {
          step(random, breaker, onWire);
        } catch (CircuitBreakingException refused) {
          assertThat(refused.getMessage()).contains("[request] Data too large");
          if (random.nextBoolean()) {
            break; // the search fails with reservations in place
          }
        }
        assertThat(ledger.usedBytes()).isBetween(0L, 10 * MB);
      }
      breaker.close();
      assertThat(ledger.usedBytes()).isZero();
      assertThat(work.usedBytes()).isZero();
    }
  }

  private static void step(Random random, SearchCircuitBreaker breaker, List<Long> onWire) {
    long bytes = random.nextInt(300_000);
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        breaker.addEstimateBytesAndMaybeBreak(bytes, "<reduce_aggs>");
        onWire.add(bytes);
      }
      case 2 -> {
        if (!onWire.isEmpty()) {
          breaker.addWithoutBreaking(-onWire.removeLast());
        }
      }
      case 3 -> breaker.recordExpanded(1 + bytes, bytes * random.nextInt(20));
      case 4 -> breaker.reserveHits(bytes - 100_000);
      default -> breaker.reserveBuckets(random.nextInt(10_000));
    }
  }

  @Test
  void countsTheBucketsThatHistogramsAreShortOfOnce() {
    SearchCircuitBreaker breaker = breaker();
    breaker.reserveExpectedBuckets(1000, "histogram");
    assertThat(ledger.usedBytes(Category.REDUCTION))
        .isEqualTo(1000 * SearchCircuitBreaker.BUCKET_BYTES);
    breaker.reserveExpectedBuckets(400, "histogram");
    assertThat(ledger.usedBytes(Category.REDUCTION))
        .isEqualTo(1000 * SearchCircuitBreaker.BUCKET_BYTES);
    for (int made = 0; made < 3; made++) {
      breaker.reserveBuckets(300);
    }
    assertThat(ledger.usedBytes(Category.REDUCTION))
        .isEqualTo(1000 * SearchCircuitBreaker.BUCKET_BYTES);
    breaker.reserveBuckets(300);
    assertThat(ledger.usedBytes(Category.REDUCTION))
        .isEqualTo(1200 * SearchCircuitBreaker.BUCKET_BYTES);
    assertThatThrownBy(() -> breaker.reserveExpectedBuckets(Long.MAX_VALUE, "histogram"))
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("buckets without documents");
    breaker.close();
    assertThat(ledger.usedBytes()).isZero();
  }
}
