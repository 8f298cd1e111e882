package dev.weir.node.reduction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.reduction.RandomShards.Definition;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.util.BigArrays;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;

/** Which aggregations of several shards become one. */
final class AggregationMergeTest {
  private static final int ROUNDS = 2000;
  private static final int MAX_SHARDS = 9;
  private static final BucketOrder BY_COUNT = BucketOrder.compound(BucketOrder.count(false));

  private final Random random = TestSeed.random(AggregationMergeTest.class);
  private final MergedWaves waves = new MergedWaves(random);

  private static InternalAggregations reduce(List<InternalAggregations> parts) {
    return InternalAggregations.topLevelReduce(
        new ArrayList<>(parts.stream().map(RandomShards::sent).toList()),
        ReduceContext.forFinalReduction(
            BigArrays.NON_RECYCLING_INSTANCE, null, buckets -> {}, PipelineTree.EMPTY));
  }

  private static @Nullable InternalAggregations merge(InternalAggregations... shards) {
    List<InternalAggregations> parts = List.of(shards);
    return AggregationMerge.canMerge(parts)
        ? new AggregationMerge(RandomShards.WRITEABLES).merge(parts)
        : null;
  }

  /** Nodes merge parts of the shards; the gateway reduces what all nodes have sent. */
  @Test
  void changesNoBitOfTheReducedAggregations() throws IOException {
    RandomShards search = new RandomShards(random);
    for (int round = 0; round < ROUNDS; round++) {
      List<Definition> definitions = search.level(2);
      List<InternalAggregations> shards = new ArrayList<>();
      for (int i = 2 + random.nextInt(MAX_SHARDS - 1); i > 0; i--) {
        shards.add(RandomShards.make(definitions, random.nextInt(5) == 0));
      }
      InternalAggregations expected = reduce(shards);
      List<InternalAggregations> sent = waves.send(shards);
      assertThat(RandomShards.bytes(reduce(sent)))
          .as("round %d", round)
          .isEqualTo(RandomShards.bytes(expected));
    }
    assertThat(waves.merged()).as("merged waves").isGreaterThan(ROUNDS / 4);
    assertThat(waves.whole()).as("waves that don't merge").isPositive();
  }

  @Test
  void mergesTermsWhoseErrorAGatewaySees() {
    assertThat(merge(terms(BY_COUNT, 4, "a", "b"), terms(BY_COUNT, 4, "b", "c")))
        .as("no error")
        .isNotNull();
    assertThat(merge(terms(BY_COUNT, 2, "a", "b"), terms(BY_COUNT, 2, "c", "d")))
        .as("an error of each")
        .isNotNull();
    assertThat(merge(terms(BY_COUNT, 4, "a", "b"), terms(BY_COUNT, 4, "c", "d")))
        .as("as many as if the shard had left others out")
        .isNull();
    BucketOrder byKey = BucketOrder.key(true);
    assertThat(merge(terms(byKey, 4, "a", "b"), terms(byKey, 4, "c", "d")))
        .as("without errors")
        .isNotNull();
    BucketOrder byLeast = BucketOrder.compound(BucketOrder.count(true));
    assertThat(merge(terms(byLeast, 4, "a", "b"), terms(byLeast, 4, "c", "d"))).isNull();
    assertThat(merge(terms(byLeast, 2, "a", "b"), terms(byLeast, 2, "c"))).isNotNull();
  }

  /** A partial reduction in the order of keys keeps two buckets: the response has no more. */
  @Test
  void leavesTermsOfAnyCountInTheOrderOfKeysToTheGateway() {
    BucketOrder byKey = BucketOrder.key(true);
    assertThat(
            merge(
                RandomShards.terms(byKey, 0, 4, "a", "b"),
                RandomShards.terms(byKey, 0, 4, "c", "d")))
        .isNull();
    assertThat(
            merge(
                RandomShards.terms(BY_COUNT, 0, 4, "a", "b"),
                RandomShards.terms(BY_COUNT, 0, 4, "b", "c")))
        .as("not in the order of keys")
        .isNotNull();
  }

  private static InternalAggregations terms(BucketOrder order, int shardSize, String... words) {
    return RandomShards.terms(order, 1, shardSize, words);
  }

  @Test
  void leavesOtherAggregationsToTheGateway() throws IOException {
    InternalAggregations average = RandomShards.make(List.of(RandomShards.average("x")), false);
    assertThat(merge(average, average)).isNull();
    assertThat(merge(terms(BY_COUNT, 4, "a"), average)).as("unlike shards").isNull();
  }
}
