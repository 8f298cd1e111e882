package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGeneration;
import dev.weir.cluster.generation.ReaderGenerationsQuestion;
import dev.weir.cluster.generation.ReaderTimes;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.core.index.shard.ShardId;

class CopyBoundsLearnerTest {
  private final CopyBoundsRegistry registry = new CopyBoundsRegistry();
  private final Set<String> withPlugin = Set.of("n0", "n1");
  private final Nodes nodes = new Nodes();
  private Instant now = Instant.EPOCH;
  private final CopyBoundsLearner learner =
      new CopyBoundsLearner(
          registry,
          (nodeId, capability) ->
              capability == Capability.READER_GENERATIONS && withPlugin.contains(nodeId),
          nodes,
          () -> now);

  private static IndexMetadata.Builder withDate(IndexMetadata.Builder index) {
    Map<String, Object> date = Map.of("type", "date", "format", "epoch_millis");
    return index.putMapping(new MappingMetadata("_doc", Map.of("properties", Map.of("t", date))));
  }

  private static ClusterView view(String... indices) {
    ClusterStates states = ClusterStates.ofNodes(3);
    for (String index : indices) {
      states.index(index, 3, 1, CopyBoundsLearnerTest::withDate);
    }
    return new ClusterView(states.build(1, 1), Map.of(), 0, false);
  }

  private void learn(ClusterView view, int maxIndices) throws InterruptedException {
    learner.learn(
        view,
        List.copyOf(view.state().metadata().indices().values()),
        List.of("t", "other"),
        maxIndices);
  }

  private static ShardId shard(int number) {
    return new ShardId("i", "uuid-of-i", number);
  }

  @Test
  void learnsCopiesOnNodesWithThePluginOnce() throws InterruptedException {
    learn(view("i"), 10);
    // Shard s has copies on the nodes s and s + 1, modulo 3.
    assertThat(nodes.asked).containsOnlyKeys("n0", "n1");
    assertThat(nodes.asked.get("n0")).containsExactlyInAnyOrder(shard(0), shard(2));
    assertThat(nodes.asked.get("n1")).containsExactlyInAnyOrder(shard(0), shard(1));
    assertThat(registry.copyCount()).isEqualTo(4);
    CopyBounds copy = registry.find(shard(2), "n0");
    assertThat(copy).isNotNull();
    assertThat(copy == null ? null : copy.fields())
        .isEqualTo(Map.of("t", new DateBounds(5, 9, "epoch_millis")));

    nodes.asked.clear();
    learn(view("i"), 10);
    assertThat(nodes.asked).isEmpty();
  }

  @Test
  void keepsFewIndices() throws InterruptedException {
    learn(view("i", "j", "k"), 2);
    assertThat(registry.indexCount()).isEqualTo(2);
  }

  @Test
  void triesAgainLaterWhatHasNoAnswer() throws InterruptedException {
    nodes.silent = true;
    learn(view("i"), 10);
    nodes.silent = false;
    nodes.asked.clear();
    learn(view("i"), 10);
    assertThat(nodes.asked).isEmpty();
    now = now.plusSeconds(600);
    learn(view("i"), 10);
    assertThat(registry.copyCount()).isEqualTo(4);
  }

  @Test
  void learnsNothingFromAnotherMapping() throws InterruptedException {
    nodes.mappingVersion = 2;
    learn(view("i"), 10);
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void forgetsCopiesThatHaveGone() throws InterruptedException {
    ClusterView both = view("i", "j");
    learn(both, 10);
    assertThat(registry.copyCount()).isEqualTo(8);
    registry.onChange(both, both);
    assertThat(registry.copyCount()).isEqualTo(8);
    registry.onChange(both, view("i"));
    assertThat(registry.copyCount()).isEqualTo(4);
    ClusterStates moved =
        ClusterStates.ofNodes(1).index("i", 3, 0, CopyBoundsLearnerTest::withDate);
    registry.onChange(both, new ClusterView(moved.build(1, 2), Map.of(), 0, false));
    assertThat(registry.copyCount()).as("those on n0").isEqualTo(2);
    registry.removeNode("n0");
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void forgetsCopiesThatWereStoredAfterTheyHadGone() throws InterruptedException {
    ClusterView one = view("i");
    learn(one, 10);
    registry.onChange(one, one);
    registry.store(
        new CopyBounds(shard(0), "n7", new ReaderGeneration("run", 1, 1, 1), Map.of(), Map.of()));
    assertThat(registry.copyCount()).isEqualTo(5);

    registry.onChange(one, one); // in which the index has not changed
    assertThat(registry.copyCount()).isEqualTo(4);
  }

  @Test
  void forgetsCopiesOfIndicesThatTakeNoMoreWrites() throws InterruptedException {
    ClusterView writable = view("i");
    learn(writable, 1);
    ClusterState state =
        ClusterStates.ofNodes(3)
            .index(
                "i",
                3,
                1,
                index ->
                    ClusterStates.with("index.blocks.write", true)
                        .apply(CopyBoundsLearnerTest.withDate(index)))
            .build(1, 2);
    ClusterState blocked =
        ClusterState.builder(state)
            .blocks(ClusterBlocks.builder().addBlocks(state.metadata().index("i")))
            .build();
    registry.onChange(writable, new ClusterView(blocked, Map.of(), 0, false));
    assertThat(registry.isEmpty()).isTrue();
  }

  /** Nodes whose copies have times from 5 to 9. */
  private static final class Nodes implements NodeClients {
    private final Map<String, List<ShardId>> asked = new HashMap<>();
    private boolean silent;
    private long mappingVersion = 1;

    @Override
    public @Nullable NodeClient byId(String nodeId) {
      return new Node(this, nodeId);
    }

    @Override
    public Collection<? extends NodeClient> all() {
      return List.of();
    }
  }

  private record Node(Nodes nodes, String nodeId) implements NodeClient {
    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("unchecked") // readers are all that is asked for
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      List<ShardId> shards = ((ReaderGenerationsQuestion) call.payload()).shards();
      nodes.asked.computeIfAbsent(nodeId, id -> new ArrayList<>()).addAll(shards);
      if (nodes.silent) {
        handler.onFailure(NodeCallException.unknownNode(nodeId));
        return () -> true;
      }
      List<@Nullable ReaderTimes> ranges = new ArrayList<>();
      ranges.add(new ReaderTimes(5, 9));
      ranges.add(null);
      Map<ShardId, CopyReader> answers = new HashMap<>();
      for (ShardId shard : shards) {
        answers.put(
            shard, new CopyReader(new ReaderGeneration("run", 1, nodes.mappingVersion, 1), ranges));
      }
      handler.onReply((R) answers, NoFrame.INSTANCE);
      return () -> true;
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }
}
