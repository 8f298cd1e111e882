package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.generation.ReaderGenerationsQuestion;
import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchAction;
import org.opensearch.cluster.metadata.MappingMetadata;

class BoundsLearnerTest {
  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private final Semaphore looks = new Semaphore(0);
  private final AtomicBoolean unsecured = new AtomicBoolean();
  private final ClusterView view =
      new ClusterView(
          ClusterStates.ofNodes(1)
              .index(
                  "i",
                  1,
                  0,
                  index ->
                      index.putMapping(
                          new MappingMetadata(
                              "_doc", Map.of("properties", Map.of("t", Map.of("type", "date"))))))
              .build(1, 1),
          Map.of(),
          0,
          false);

  private BoundsLearner learner() {
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    NodeClients nodes = new Nodes(asked);
    return BoundsLearner.of(
        new BoundsRegistry(),
        copies,
        new NodePositionChecker(nodes, () -> 0),
        new BoundsLearner.NodeSources(
            new OneView(view),
            nodes,
            (nodeId, capability) -> true,
            () -> {
              looks.release();
              return unsecured.get();
            },
            () -> false),
        () -> Instant.EPOCH);
  }

  /** Such nodes would log an error at each attempt. */
  @Test
  void askNothingOfNodesThatCheckUsers() throws InterruptedException {
    try (BoundsLearner learner = learner()) {
      learner.setPolicy(new TimePruningPolicy(List.of("i"), List.of("t"), 10, Duration.ZERO));
      // two in each round: once for whole indices, once for copies
      assertThat(looks.tryAcquire(3, 1, TimeUnit.MINUTES)).isTrue();
      assertThat(asked).isEmpty();
      assertThat(learner.failures()).isZero();

      unsecured.set(true);
      learner.onChange(view, view);
      assertThat(asked.poll(1, TimeUnit.MINUTES)).isEqualTo(SearchAction.NAME);
      assertThat(asked.poll(1, TimeUnit.MINUTES)).isEqualTo(ReaderGenerationsQuestion.ACTION);
    }
  }

  private record OneView(ClusterView current) implements ClusterViewSource {
    @Override
    public CompletionStage<ClusterView> refresh(ClusterView stale) {
      return CompletableFuture.completedFuture(current);
    }
  }

  private record Nodes(BlockingQueue<String> asked) implements NodeClients {
    @Override
    public @Nullable NodeClient byId(String nodeId) {
      return new Node(nodeId, asked);
    }

    @Override
    public Collection<? extends NodeClient> all() {
      return List.of();
    }
  }

  /** A node that fails each call. */
  private record Node(String nodeId, BlockingQueue<String> asked) implements NodeClient {
    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      asked.add(call.action());
      handler.onFailure(NodeCallException.unknownNode(nodeId));
      return () -> true;
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }
}
