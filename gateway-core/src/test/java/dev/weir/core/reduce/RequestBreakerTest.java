package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestLedger;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.RequestMemory.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.builder.SearchSourceBuilder;

class RequestBreakerTest {
  private static final long MB = 1 << 20;

  private final MemoryLedger work = new MemoryLedger(100 * MB);
  private final GatewayMemory gateway =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(10 * MB), new ByteSize(100 * MB), 0.8),
          new GatewayMemory.Pools(new MemoryLedger(MB), new MemoryLedger(MB), work),
          () -> 0);
  private final RequestLedger ledger = gateway.open("GET", "/", null);
  private final CostEstimator costs = new CostEstimator();
  private final AggregationShape terms =
      AggregationShape.of(
          new SearchSourceBuilder()
              .aggregation(
                  AggregationBuilders.terms("by-user")
                      .field("user")
                      .subAggregation(AggregationBuilders.avg("took").field("took"))));

  private RequestBreaker breaker() {
    return new RequestBreaker(ledger, new NoopCircuitBreaker("request"), costs, terms);
  }

  @Test
  void knowsShapesByTypesAndHowTheyAreNested() {
    assertThat(terms.key()).isEqualTo("terms(avg)");
    assertThat(terms.named()).containsExactly("aggregation [by-user] (terms)");
    assertThat(terms.fillsGaps()).isFalse();
    AggregationShape dates =
        AggregationShape.of(
            new SearchSourceBuilder()
                .aggregation(
                    AggregationBuilders.global("g")
                        .subAggregation(
                            AggregationBuilders.dateHistogram("d")
                                .field("at")
                                .fixedInterval(DateHistogramInterval.SECOND))));
    assertThat(dates.fillsGaps()).isTrue();
    assertThat(AggregationShape.of(null)).isEqualTo(AggregationShape.NONE);
  }

  @Test
  void paysForWhatAnswersBecomeAndNotForTheirBytes() {
    RequestBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(100_000, "<reduce_aggs>");
    assertThat(ledger.held(Item.DECODED)).isEqualTo(800_000);

    breaker.expanded(100_000, 1_500_000);
    assertThat(ledger.held(Item.DECODED)).as("as measured").isEqualTo(1_500_000);
    breaker.addWithoutBreaking(-60_000);
    assertThat(ledger.held(Item.DECODED)).as("what is left after reducing").isEqualTo(320_000);
    breaker.close();
    assertThat(ledger.held()).isZero();

    assertThat(costs.ratio(terms.key(), 8)).as("learned").isEqualTo(30);
    RequestBreaker next = breaker();
    next.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    assertThat(ledger.held(Item.DECODED)).isEqualTo(30_000);
    next.close();
  }

  @Test
  void paysForWhatWasMeasuredUntilItIsReduced() {
    RequestBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(100_000, "<reduce_aggs>");
    breaker.expanded(50_000, 1_400_000);
    breaker.expanded(50_000, 1_600_000);
    breaker.addEstimateBytesAndMaybeBreak(0, "<reduce_aggs>");
    assertThat(ledger.held(Item.DECODED)).as("looked at again").isEqualTo(3_000_000);
    breaker.addEstimateBytesAndMaybeBreak(50_000, "<reduce_aggs>");
    assertThat(ledger.held(Item.DECODED)).as("with what it becomes").isEqualTo(3_400_000);
    breaker.expanding(-10_000_000);
    breaker.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    assertThat(ledger.held(Item.DECODED)).as("less than nothing, and something").isEqualTo(8_000);
    breaker.addWithoutBreaking(-131_000);
    assertThat(ledger.held(Item.DECODED)).as("what is left after reducing").isEqualTo(160_000);
    breaker.close();
    assertThat(ledger.held()).isZero();
  }

  @Test
  void refusesBeforeAnAnswerIsExpandedAndSaysWhose() {
    RequestBreaker breaker = breaker();
    breaker.addEstimateBytesAndMaybeBreak(MB, "<reduce_aggs>");
    assertThatThrownBy(() -> breaker.addEstimateBytesAndMaybeBreak(MB, "<reduce_aggs>"))
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("data for [decoded answers]")
        .hasMessageContaining("aggregation [by-user] (terms)");
    assertThat(ledger.held()).isEqualTo(8 * MB);
    breaker.close();
  }

  @Test
  void paysForBucketsWithoutDocumentsAsTheyAreMade() {
    RequestBreaker breaker = breaker();
    CountedBuckets buckets = new CountedBuckets(Integer.MAX_VALUE, breaker);
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
    assertThat(made * RequestBreaker.BUCKET_BYTES).isBetween(9 * MB, 10 * MB);
    assertThat(refused.getMessage()).contains("data for [reduction]", "buckets without documents");
    assertThat(ledger.held(Item.REDUCTION)).isLessThanOrEqualTo(10 * MB);
    breaker.close();
  }

  @Test
  void takesNothingMoreOnceItIsClosed() {
    RequestBreaker breaker = breaker();
    breaker.takeHits(5000);
    breaker.addEstimateBytesAndMaybeBreak(1000, "<reduce_aggs>");
    breaker.close();
    breaker.close();
    assertThatThrownBy(() -> breaker.makeBuckets(10)).hasMessageContaining("given up");
    assertThatThrownBy(() -> breaker.expanding(10)).hasMessageContaining("given up");
    breaker.addWithoutBreaking(-1000);
    breaker.expectBuckets(1000, "histogram");
    breaker.takeHits(1000);
    assertThat(ledger.held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void returnsToZeroWhateverHappens(long seed) {
    Random random = new Random(seed);
    for (int search = 0; search < 50; search++) {
      RequestBreaker breaker = breaker();
      List<Long> onWire = new ArrayList<>();
      for (int step = 0; step < 100; step++) {
        try {
          step(random, breaker, onWire);
        } catch (CircuitBreakingException refused) {
          assertThat(refused.getMessage()).contains("[request] Data too large");
          if (random.nextBoolean()) {
            break; // the search is given up, whatever it holds
          }
        }
        assertThat(ledger.held()).isBetween(0L, 10 * MB);
      }
      breaker.close();
      assertThat(ledger.held()).isZero();
      assertThat(work.held()).isZero();
    }
  }

  private static void step(Random random, RequestBreaker breaker, List<Long> onWire) {
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
      case 3 -> breaker.expanded(1 + bytes, bytes * random.nextInt(20));
      case 4 -> breaker.takeHits(bytes - 100_000);
      default -> breaker.makeBuckets(random.nextInt(10_000));
    }
  }

  @Test
  void countsTheBucketsThatHistogramsAreShortOfOnce() {
    RequestBreaker breaker = breaker();
    breaker.expectBuckets(1000, "histogram");
    assertThat(ledger.held(Item.REDUCTION)).isEqualTo(1000 * RequestBreaker.BUCKET_BYTES);
    breaker.expectBuckets(400, "histogram");
    assertThat(ledger.held(Item.REDUCTION)).isEqualTo(1000 * RequestBreaker.BUCKET_BYTES);
    for (int made = 0; made < 3; made++) {
      breaker.makeBuckets(300);
    }
    assertThat(ledger.held(Item.REDUCTION)).isEqualTo(1000 * RequestBreaker.BUCKET_BYTES);
    breaker.makeBuckets(300);
    assertThat(ledger.held(Item.REDUCTION)).isEqualTo(1200 * RequestBreaker.BUCKET_BYTES);
    assertThatThrownBy(() -> breaker.expectBuckets(Long.MAX_VALUE, "histogram"))
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("buckets without documents");
    breaker.close();
    assertThat(ledger.held()).isZero();
  }
}
