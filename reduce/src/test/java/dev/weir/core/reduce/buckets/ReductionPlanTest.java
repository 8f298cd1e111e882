package dev.weir.core.reduce.buckets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.builder.SearchSourceBuilder;

class ReductionPlanTest {
  @Test
  void shareThePlanOfSearchesWithoutAggregations() {
    ReductionPlan plan = ReductionPlan.of(null);

    assertThat(plan).isSameAs(ReductionPlan.of(new SearchSourceBuilder().size(10)));
    assertThat(plan).isEqualTo(new ReductionPlan(false, false, false, Set.of(), Set.of()));
  }

  @Test
  void planHistogramsByTheirOrder() {
    ReductionPlan byKey =
        ReductionPlan.of(
            new SearchSourceBuilder().aggregation(AggregationBuilders.histogram("h").interval(1)));
    ReductionPlan byMetric =
        ReductionPlan.of(
            new SearchSourceBuilder()
                .aggregation(
                    AggregationBuilders.histogram("h")
                        .interval(1)
                        .order(BucketOrder.aggregation("m", true))
                        .subAggregation(AggregationBuilders.max("m").field("n"))));

    assertThat(byKey).isEqualTo(new ReductionPlan(true, false, false, Set.of(), Set.of()));
    assertThat(byMetric)
        .isEqualTo(new ReductionPlan(false, false, false, Set.of("m"), Set.of("h")));
  }
}
