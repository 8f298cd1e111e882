package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardOutcomesTest {
  private final ShardOutcomes outcomes = new ShardOutcomes();

  private static SearchPlan plan(int shards, boolean allowPartial, boolean ignoreUnavailable) {
    List<PlannedShard> planned =
        IntStream.range(0, shards)
            .mapToObj(ordinal -> new PlannedShard(ordinal, List.of("n0"), false))
            .toList();
    return new SearchPlan(
        planned, new SearchPlan.SearchRules(5, allowPartial, ignoreUnavailable, false));
  }

  @Test
  void failSearchWithoutSuccessfulShard() {
    outcomes.recordRound(0);
    assertThat(outcomes.shortfall(plan(2, true, false), 2))
        .isEqualTo(new ShardOutcomes.Shortfall("all shards failed", true));
  }

  @Test
  void acceptPartialResultsWhereTheRequestAllowsThem() {
    outcomes.recordRound(1);
    assertThat(outcomes.shortfall(plan(2, true, false), 1)).isNull();
  }

  @Test
  void refusePartialResultsWhereTheRequestForbidsThem() {
    outcomes.recordRound(1);
    assertThat(outcomes.shortfall(plan(2, false, false), 1))
        .isEqualTo(new ShardOutcomes.Shortfall("Partial shards failure", false));
  }

  @Test
  void ignoreUnavailableShardsOnlyOnRequest() {
    outcomes.recordRound(1);
    assertThat(outcomes.shortfall(plan(3, false, true), 0)).isNull();
    assertThat(outcomes.shortfall(plan(3, false, false), 0))
        .isEqualTo(
            new ShardOutcomes.Shortfall("Partial shards failure (2 shards unavailable)", false));
  }

  @Test
  void countSkippedShardsAsSuccessfulAndLaterFailuresAsFailed() {
    outcomes.setSkipped(2);
    outcomes.recordRound(3);
    outcomes.subtractFailed(1);
    assertThat(outcomes.counts(5)).isEqualTo(new ShardCounts(5, 4, 2));
  }
}
