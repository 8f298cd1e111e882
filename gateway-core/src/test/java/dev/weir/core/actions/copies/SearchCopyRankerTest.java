package dev.weir.core.actions.copies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.index.shard.ShardId;

/** Copies of shards where the cluster has no adaptive replica selection. */
class SearchCopyRankerTest {
  private static final ClusterView VIEW = viewWithoutAdaptiveSelection();

  private final SearchCopyRanker ranker = new SearchCopyRanker((copies, count, phase) -> {});

  private static ClusterView viewWithoutAdaptiveSelection() {
    ClusterState state = ClusterStates.ofNodes(1).view().state();
    Settings settings =
        Settings.builder().put("cluster.routing.use_adaptive_replica_selection", false).build();
    return new ClusterView(
        ClusterState.builder(state)
            .metadata(Metadata.builder(state.metadata()).persistentSettings(settings))
            .build(),
        Map.of(),
        0,
        false);
  }

  private static ShardTarget target(String index, int shard, int copies) {
    return new ShardTarget(
        new ShardId(index, "uuid-of-" + index, shard),
        List.of(
            IntStream.range(0, copies)
                .mapToObj(copy -> new ShardCopy("n" + copy, "", copy == 0, false, Map.of()))
                .toList()));
  }

  private String firstNode(ShardTarget target) {
    return ranker
        .rank(VIEW, target, NodeCallType.HITS, RequestPolicy.NONE, null)
        .nodeIds()
        .getFirst();
  }

  /** Whatever other shards the same search, or searches between, go to. */
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 2", "4, 2", "5, 2", "3, 3", "6, 3"})
  void giveEachCopyOfAShardItsTurn(int shards, int copies) {
    List<ShardTarget> targets =
        IntStream.range(0, shards).mapToObj(shard -> target("logs", shard, copies)).toList();
    List<List<String>> chosen = new ArrayList<>();
    for (int search = 0; search < copies; search++) {
      chosen.add(targets.stream().map(this::firstNode).toList());
      firstNode(target("other", 0, copies));
    }
    for (int shard = 0; shard < shards; shard++) {
      int number = shard;
      assertThat(chosen.stream().map(nodes -> nodes.get(number)))
          .as("shard %d", shard)
          .doesNotHaveDuplicates();
    }
  }
}
