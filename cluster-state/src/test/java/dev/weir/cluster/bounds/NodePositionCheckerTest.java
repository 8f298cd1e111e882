package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.StatePosition;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.coordination.ClusterStateTermVersion;

class NodePositionCheckerTest {
  private static final StatePosition HERE = new StatePosition(2, 10);

  private final Nodes nodes = new Nodes();
  private long now;
  private final NodePositionChecker positions = new NodePositionChecker(nodes, () -> now);
  private final List<Boolean> told = new ArrayList<>();

  private void ask(String... nodeIds) {
    positions.checkAllAt(List.of(nodeIds), HERE, told::add);
  }

  @Test
  void holdsWhenAllAreThere() {
    ask("a", "b");
    nodes.answer("a", 2, 10);
    assertThat(told).isEmpty();
    nodes.answer("b", 2, 10);
    assertThat(told).containsExactly(true);
  }

  @Test
  void rejectLaterAndEarlierPositions() {
    for (StatePosition other :
        List.of(new StatePosition(2, 11), new StatePosition(2, 9), new StatePosition(3, 10))) {
      told.clear();
      ask("a", "b");
      nodes.answer("b", other.term(), other.version());
      assertThat(told).as("%s", other).containsExactly(false);
      nodes.answer("a", 2, 10);
      assertThat(told).hasSize(1);
    }
    told.clear();
    positions.checkAllReached(List.of("a"), HERE, told::add);
    nodes.answer("a", 2, 11);
    positions.checkAllReached(List.of("a"), HERE, told::add);
    nodes.answer("a", 2, 9);
    assertThat(told).containsExactly(true, false);
  }

  @Test
  void useAResponseOnlyForEarlierCallers() {
    ask("a");
    ask("a"); // the question is under way: its answer may be older
    ask("a");
    assertThat(positions.queryCount()).isOne();
    nodes.answer("a", 2, 10);
    assertThat(told).containsExactly(true);
    assertThat(positions.queryCount()).isEqualTo(2);
    nodes.answer("a", 2, 11);
    assertThat(told).containsExactly(true, false, false);
    assertThat(positions.queryCount()).isEqualTo(2);
  }

  @Test
  void pauseQueriesToASilentNodeForASecond() {
    ask("a");
    ask("a");
    nodes.fail("a");
    assertThat(told).containsExactly(false, false);
    ask("a");
    assertThat(told).containsExactly(false, false, false);
    assertThat(positions.queryCount()).isOne();
    now += TimeUnit.SECONDS.toNanos(1);
    ask("a");
    nodes.answer("a", 2, 10);
    assertThat(told).containsExactly(false, false, false, true);
  }

  @Test
  void failForUnknownNodes() {
    ask("a", "nobody");
    assertThat(told).containsExactly(false);
    nodes.answer("a", 2, 10);
    assertThat(told).hasSize(1);
  }

  /** Nodes a and b, which answer when the test lets them. */
  private static final class Nodes implements NodeClients {
    private final Map<String, Node> nodes = new HashMap<>();

    Nodes() {
      nodes.put("a", new Node());
      nodes.put("b", new Node());
    }

    private ReplyHandler<GetTermVersionResponse> next(String nodeId) {
      return Objects.requireNonNull(nodes.get(nodeId)).asked.remove();
    }

    void answer(String nodeId, long term, long version) {
      next(nodeId)
          .onReply(
              new GetTermVersionResponse(
                  new ClusterStateTermVersion(new ClusterName("c"), "uuid", term, version)),
              new NoFrame());
    }

    void fail(String nodeId) {
      next(nodeId).onFailure(NodeCallException.unknownNode(nodeId));
    }

    @Override
    public @Nullable NodeClient byId(String nodeId) {
      return nodes.get(nodeId);
    }

    @Override
    public Collection<? extends NodeClient> all() {
      return nodes.values();
    }
  }

  private static final class Node implements NodeClient {
    private final Deque<ReplyHandler<GetTermVersionResponse>> asked = new ArrayDeque<>();

    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("unchecked") // positions are all that is asked for
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      asked.add((ReplyHandler<GetTermVersionResponse>) handler);
      return () -> true;
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }

  private static final class NoFrame implements ReplyFrame {
    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 0;
    }

    @Override
    public void retain() {
      // nothing to do
    }

    @Override
    public void release() {
      // nothing to do
    }
  }
}
