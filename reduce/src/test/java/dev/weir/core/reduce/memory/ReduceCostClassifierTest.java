package dev.weir.core.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.query.ReduceExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.opensearch.common.util.concurrent.AbstractRunnable;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;

class ReduceCostClassifierTest {
  private final Deque<Runnable> home = new ArrayDeque<>();
  private final Deque<Runnable> pool = new ArrayDeque<>();

  private static boolean proportional(AggregationBuilder aggregation) {
    return ReduceCostClassifier.isProportional(new SearchSourceBuilder().aggregation(aggregation));
  }

  @Test
  void recognizeProportionalAggregations() {
    assertThat(ReduceCostClassifier.isProportional(null)).isTrue();
    assertThat(ReduceCostClassifier.isProportional(new SearchSourceBuilder())).isTrue();
    assertThat(
            proportional(
                AggregationBuilders.terms("t")
                    .field("f")
                    .subAggregation(AggregationBuilders.avg("a").field("g"))))
        .isTrue();
  }

  @Test
  void recognizeAggregationsThatMayGrow() {
    AggregationBuilder histogram = AggregationBuilders.histogram("h").field("f").interval(1);
    assertThat(proportional(histogram)).isFalse();
    assertThat(proportional(AggregationBuilders.terms("t").field("f").subAggregation(histogram)))
        .isFalse();
    assertThat(
            proportional(
                AggregationBuilders.terms("t")
                    .field("f")
                    .subAggregation(PipelineAggregatorBuilders.bucketSort("s", List.of()))))
        .isFalse();
    assertThat(proportional(AggregationBuilders.scriptedMetric("s"))).isFalse();
  }

  @Test
  void recognizeAmplifyingAggregations() {
    AggregationBuilder average = AggregationBuilders.avg("a").field("g");
    AggregationBuilder digests = AggregationBuilders.percentiles("p").field("g");
    assertThat(ReduceCostClassifier.canAmplifyMemory(null)).isFalse();
    assertThat(ReduceCostClassifier.canAmplifyMemory(new SearchSourceBuilder())).isFalse();
    assertThat(
            ReduceCostClassifier.canAmplifyMemory(new SearchSourceBuilder().aggregation(average)))
        .isFalse();
    assertThat(
            ReduceCostClassifier.canAmplifyMemory(new SearchSourceBuilder().aggregation(digests)))
        .isTrue();
    assertThat(
            ReduceCostClassifier.canAmplifyMemory(
                new SearchSourceBuilder()
                    .aggregation(
                        AggregationBuilders.terms("t").field("f").subAggregation(digests))))
        .isTrue();
  }

  private ReduceExecutor executor(int frames, boolean proportional) {
    RetainedSearchFrames held = new RetainedSearchFrames();
    for (int i = 0; i < frames; i++) {
      held.retain(new SearchFixture.CountedFrame()); // 100 bytes each
    }
    return new ReduceExecutor(home::add, pool::add, held, proportional);
  }

  @Test
  void reducesLittleOnTheHomeButNeverWithinTheCall() {
    executor(1, true).execute(() -> {});
    assertThat(home).hasSize(1);
    assertThat(pool).isEmpty();
  }

  @Test
  void reducesMuchOnThePool() {
    executor(3000, true).execute(() -> {});
    executor(1, false).execute(() -> {});
    assertThat(pool).hasSize(2);
    assertThat(home).isEmpty();
  }

  @Test
  void tellsAReductionThatThePoolIsFull() {
    List<Exception> told = new ArrayList<>();
    ReduceExecutor executor =
        new ReduceExecutor(
            home::add,
            task -> {
              throw new RejectedExecutionException("full");
            },
            new RetainedSearchFrames(),
            false);
    executor.execute(
        new AbstractRunnable() {
          @Override
          public void onFailure(Exception e) {
            told.add(e);
          }

          @Override
          protected void doRun() {}
        });
    assertThat(told).singleElement().isInstanceOf(OpenSearchRejectedExecutionException.class);
    executor.execute(() -> {});
    assertThat(home).hasSize(1);
  }
}
