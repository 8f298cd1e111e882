package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.shard.ShardId;

/** Copies in several tiers, some of them on drained nodes or on nodes that can't answer. */
final class ShardTargetTest {
  private static final ShardCopy STARTING =
      new ShardCopy("starting", "alloc-starting", false, true, Map.of());

  /** Keeps the order of the copies. */
  private record Selector(Set<String> drained, Set<String> failed) implements ReplicaSelector {
    @Override
    public void order(ShardCopy[] copies, int count, Phase phase) {
      // as they are
    }

    @Override
    public boolean isDrained(String nodeId) {
      return drained.contains(nodeId);
    }

    @Override
    public boolean canAnswer(ShardCopy copy, Phase phase) {
      return !failed.contains(copy.nodeId());
    }
  }

  private static ShardCopy copy(String node) {
    return new ShardCopy(node, "alloc-" + node, false, false, Map.of());
  }

  private static List<ShardCopy> tier(String... nodes) {
    return List.of(nodes).stream().map(ShardTargetTest::copy).toList();
  }

  private static ShardTarget target(boolean canFallBack, List<List<ShardCopy>> tiers) {
    return new ShardTarget(new ShardId("logs", "uuid", 0), tiers, canFallBack);
  }

  private static List<String> order(
      ShardTarget target, Set<String> drained, Set<String> failed, List<String> interchangeable) {
    List<ShardCopy> ordered = target.order(new Selector(drained, failed), NodeCallType.HITS);
    assertThat(target.interchangeableCopies(ordered))
        .as("interchangeable")
        .extracting(ShardCopy::nodeId)
        .isEqualTo(interchangeable);
    return ordered.stream().map(ShardCopy::nodeId).toList();
  }

  @Test
  void tiersKeepTheirOrderWhileNoNodeIsDrained() {
    ShardTarget target = target(false, List.of(tier("a", "b"), tier("c"), List.of(STARTING)));
    assertThat(order(target, Set.of(), Set.of("a"), List.of("a", "b")))
        .containsExactly("a", "b", "c", "starting");
  }

  @Test
  void aDrainedNodeFollowsTheNextTierWhichIsNotInterchangeable() {
    ShardTarget target = target(false, List.of(tier("b", "a"), tier("c"), List.of(STARTING)));
    assertThat(order(target, Set.of("a"), Set.of(), List.of()))
        .containsExactly("b", "c", "a", "starting");
    ShardTarget three = target(false, List.of(tier("b", "d", "a"), tier("c")));
    assertThat(order(three, Set.of("a"), Set.of(), List.of("b", "d")))
        .containsExactly("b", "d", "c", "a");
  }

  @Test
  void aDrainedNodePrecedesWhatCantAnswer() {
    ShardTarget target = target(false, List.of(tier("a"), tier("b"), List.of(STARTING)));
    assertThat(order(target, Set.of("a"), Set.of("b"), List.of()))
        .containsExactly("a", "b", "starting");
    assertThat(order(target, Set.of("a"), Set.of(), List.of()))
        .containsExactly("b", "a", "starting");
    assertThat(
            order(
                target(false, List.of(tier("a"), List.of(STARTING))),
                Set.of("a"),
                Set.of(),
                List.of()))
        .containsExactly("a", "starting");
  }

  @Test
  void theFirstOfATierMayBeATestOfItsNode() {
    ShardTarget target = target(false, List.of(tier("b", "a"), tier("c")));
    assertThat(order(target, Set.of("a"), Set.of("b"), List.of())).containsExactly("b", "c", "a");
  }

  @Test
  void theChosenTierStaysFirst() {
    ShardTarget target = target(true, List.of(tier("b", "a"), tier("c")));
    assertThat(order(target, Set.of("a"), Set.of(), List.of())).containsExactly("b", "c", "a");
    assertThat(order(target, Set.of(), Set.of(), List.of("b", "a"))).containsExactly("b", "a", "c");
  }

  /** Nodes that respond or fail, and a gateway that selects by that. */
  private static final class Nodes {
    private static final RoutingPolicy POLICY =
        new RoutingPolicy(
            RoutingPolicy.Algorithm.ADAPTIVE,
            List.of(),
            1,
            0,
            new RoutingPolicy.Adaptive(13, 4),
            new RoutingPolicy.C3(1, 0.3, 3, Duration.ofSeconds(2)),
            new RoutingPolicy.Health(
                20,
                Duration.ofSeconds(2),
                3,
                Duration.ofMillis(500),
                Duration.ofSeconds(16),
                32,
                new RoutingPolicy.Exploration(Duration.ofMillis(500), 0.02)));

    private final AtomicLong now = new AtomicLong(TimeUnit.HOURS.toNanos(1));
    private final NodeLoadTracker loads = new NodeLoadTracker(POLICY, now::get, new Random(7));
    private final ReplicaSelector selector =
        new PolicyAwareSelector(loads, POLICY, now::get, new Random(7));

    void respond(String... nodes) {
      for (String node : nodes) {
        NodeLoadRecorder.OutstandingRequest sent = loads.startRequest(node, Phase.QUERY);
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(2));
        sent.onResponse(0, TimeUnit.MILLISECONDS.toNanos(2));
      }
    }

    void eject(String node) {
      for (int i = 0; i < 3; i++) {
        loads.startRequest(node, Phase.QUERY).onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      }
    }

    void send(String node) {
      loads.startRequest(node, Phase.QUERY);
    }

    List<String> order(ShardTarget target) {
      return target.order(selector, NodeCallType.HITS).stream().map(ShardCopy::nodeId).toList();
    }
  }

  @Test
  void theProbeOfANearNodeIsSentOnce() {
    Nodes nodes = new Nodes();
    ShardTarget target = target(true, List.of(tier("a", "b"), tier("c")));
    nodes.respond("a", "b", "c");
    nodes.eject("a");
    assertThat(nodes.order(target)).containsExactly("b", "a", "c");
    nodes.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(700));
    nodes.respond("b", "c");
    assertThat(nodes.order(target)).as("its ejection has ended").containsExactly("a", "b", "c");
    nodes.send("a");
    assertThat(nodes.order(target)).as("the probe is sent").containsExactly("b", "a", "c");
  }

  @Test
  void eachNodeOfANearTierThatFailsGetsItsProbe() {
    Nodes nodes = new Nodes();
    ShardTarget target = target(true, List.of(tier("a", "b"), tier("c")));
    nodes.respond("a", "b", "c");
    nodes.eject("a");
    nodes.eject("b");
    assertThat(nodes.order(target)).startsWith("c");
    nodes.now.addAndGet(TimeUnit.MILLISECONDS.toNanos(700));
    nodes.respond("c");
    List<String> probing = nodes.order(target);
    nodes.send(probing.getFirst());
    List<String> probingOther = nodes.order(target);
    nodes.send(probingOther.getFirst());
    assertThat(List.of(probing, probingOther))
        .as("a retry goes to the far tier")
        .containsExactlyInAnyOrder(List.of("a", "c", "b"), List.of("b", "c", "a"));
    assertThat(nodes.order(target)).startsWith("c");
  }
}
