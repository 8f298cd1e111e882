package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.bounds.CopyBoundsChecker.ExpectedCopy;
import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGeneration;
import dev.weir.cluster.generation.ReaderTimes;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.shard.ShardId;

class CopyBoundsCheckerTest {
  private final Nodes nodes = new Nodes();
  private final CopyBoundsRegistry registry = new CopyBoundsRegistry();
  private final CopyBoundsChecker checker = new CopyBoundsChecker(nodes, registry);
  private final List<Boolean> told = new ArrayList<>();

  private static ReaderGeneration generation(long reader, long mapping) {
    return new ReaderGeneration("run", reader, mapping, 1);
  }

  /** A copy with times 0 to 9, which a search from 20 on leaves out. */
  private ExpectedCopy known(int shard, String nodeId) {
    CopyBounds known =
        new CopyBounds(
            shard(shard),
            nodeId,
            generation(1, 1),
            Map.of("t", ""),
            Map.of("t", new DateBounds(0, 9, "")));
    registry.store(known);
    return new ExpectedCopy(known, "t", bounds -> bounds.max() < 20);
  }

  private static ShardId shard(int number) {
    return new ShardId("i", "uuid", number);
  }

  private void check(ExpectedCopy... copies) {
    Map<String, List<ExpectedCopy>> byNode = new HashMap<>();
    for (ExpectedCopy copy : copies) {
      byNode.computeIfAbsent(copy.known().nodeId(), id -> new ArrayList<>()).add(copy);
    }
    checker.check(byNode, told::add);
  }

  private static CopyReader answer(long reader, long mapping, long min, long max) {
    return new CopyReader(generation(reader, mapping), List.of(new ReaderTimes(min, max)));
  }

  @Test
  void holdsWhileAllReadersAreTheSame() {
    check(known(0, "a"), known(1, "a"), known(2, "b"));
    assertThat(checker.queryCount()).as("one message to each node").isEqualTo(2);
    nodes.answer("a", Map.of(shard(0), answer(1, 1, 0, 9), shard(1), answer(1, 1, 0, 9)));
    assertThat(told).isEmpty();
    nodes.answer("b", Map.of(shard(2), answer(1, 1, 0, 9)));
    assertThat(told).containsExactly(true);
    check();
    assertThat(told).containsExactly(true, true);
  }

  @Test
  void holdsForAnotherReaderWithoutAMatch() {
    check(known(0, "a"));
    nodes.answer("a", Map.of(shard(0), answer(2, 1, 0, 19)));
    assertThat(told).containsExactly(true);
    assertThat(bounds(0)).isEqualTo(new DateBounds(0, 19, ""));
  }

  @Test
  void failsForAnotherReaderWithAMatch() {
    check(known(0, "a"), known(1, "b"));
    nodes.answer("a", Map.of(shard(0), answer(2, 1, 0, 20)));
    assertThat(told).containsExactly(false);
    nodes.answer("b", Map.of(shard(1), answer(1, 1, 0, 9)));
    assertThat(told).hasSize(1);
    assertThat(bounds(0)).as("known from now on").isEqualTo(new DateBounds(0, 20, ""));
  }

  @Test
  void failsForAnotherReaderWithoutTimes() {
    check(known(0, "a"));
    List<@Nullable ReaderTimes> none = new ArrayList<>();
    none.add(null);
    nodes.answer("a", Map.of(shard(0), new CopyReader(generation(2, 1), none)));
    assertThat(told).containsExactly(false);
    assertThat(registry.copyCount()).as("read again by the learner").isZero();
  }

  @Test
  void failsForAnotherMapping() {
    check(known(0, "a"));
    nodes.answer("a", Map.of(shard(0), answer(1, 2, 0, 9)));
    assertThat(told).containsExactly(false);
    assertThat(registry.copyCount()).isZero();
  }

  @Test
  void failsForACopyWithoutAGeneration() {
    check(known(0, "a"), known(1, "a"));
    nodes.answer("a", Map.of(shard(0), answer(1, 1, 0, 9)));
    assertThat(told).containsExactly(false);
    assertThat(registry.copyCount()).isOne();
    assertThat(registry.find(shard(0), "a")).isNotNull();
  }

  @Test
  void failsForNodesThatDoNotAnswer() {
    check(known(0, "a"), known(1, "nobody"));
    assertThat(told).containsExactly(false);
    nodes.fail("a");
    assertThat(told).hasSize(1);
    assertThat(registry.isEmpty()).as("no longer known").isTrue();
  }

  @Test
  void keepsWhatWasLearnedMeanwhile() {
    check(known(0, "a"));
    CopyBounds later =
        new CopyBounds(
            shard(0),
            "a",
            generation(3, 1),
            Map.of("t", ""),
            Map.of("t", new DateBounds(0, 30, "")));
    registry.store(later);
    nodes.answer("a", Map.of(shard(0), answer(2, 1, 0, 19)));
    assertThat(told).containsExactly(true);
    assertThat(registry.find(shard(0), "a")).isEqualTo(later);
  }

  private @Nullable DateBounds bounds(int shard) {
    CopyBounds copy = registry.find(shard(shard), "a");
    return copy == null ? null : copy.fields().get("t");
  }

  /** Nodes a and b, which answer when the test lets them. */
  private static final class Nodes implements NodeClients {
    private final Map<String, Node> nodes = Map.of("a", new Node(), "b", new Node());

    private ReplyHandler<Map<ShardId, CopyReader>> next(String nodeId) {
      return Objects.requireNonNull(nodes.get(nodeId)).asked.remove();
    }

    void answer(String nodeId, Map<ShardId, CopyReader> answers) {
      next(nodeId).onReply(answers, NoFrame.INSTANCE);
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
    private final Deque<ReplyHandler<Map<ShardId, CopyReader>>> asked = new ArrayDeque<>();

    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("unchecked") // readers are all that is asked for
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      asked.add((ReplyHandler<Map<ShardId, CopyReader>>) handler);
      return () -> true;
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }
}
