package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LateCopyBinderTest {
  private static final List<ShardCopy> COPIES =
      List.of(
          new ShardCopy("a", "", true, false, Map.of()),
          new ShardCopy("b", "", false, false, Map.of()));

  private long now = 1_000_000_000_000L;
  private final NodeLoadTracker loads =
      new NodeLoadTracker(policy("enabled: true"), () -> now, new Random(1));
  private final PolicyCompiler<RoutingPolicy> policies =
      new PolicyCompiler<>(policy("enabled: true"));
  private final PolicyAwareSelector selector =
      new PolicyAwareSelector(loads, policies, () -> now, new Random(1));
  private final Deque<Runnable> timers = new ArrayDeque<>();
  private final LateCopyBinder binder =
      new LateCopyBinder(
          loads,
          selector,
          () -> now,
          (delay, home, action) -> timers.add(() -> home.execute(action)));
  private final Deque<Runnable> atHome = new ArrayDeque<>();
  private final RequestContext context = new RequestContext(atHome::add, 1, Map.of());
  private final List<CopyBinder.Binding> bound = new ArrayList<>();
  private final List<NodeLoadRecorder.OutstandingRequest> sent = new ArrayList<>();

  private static RoutingPolicy policy(String lateBinding) {
    String yaml =
        "clusters: {main: {seeds: [\"127.0.0.1:9300\"]}}\n"
            + "routing: {score-jitter-ratio: 0, late-binding: {"
            + lateBinding
            + "}}\n";
    return ((LoadResult.Loaded) new PolicyLoader(Map.of()).parse("weir.yaml", yaml))
        .policy()
        .routing();
  }

  /** Sends until a request waits; returns that one. */
  private CopyBinder.Binding fill() {
    for (int i = 0; i < 40; i++) {
      for (String node : List.of("a", "b")) {
        NodeLoadRecorder.OutstandingRequest one = loads.startRequest(node, Phase.QUERY);
        now += 2_000_000;
        one.onResponse(0, 2_000_000 + i);
      }
    }
    now += 100_000_000;
    for (int i = 0; i < 1000; i++) {
      CopyBinder.Binding one =
          binder.bind(
              new CopyBinder.BindingRequest(COPIES, NodeCallType.HITS, true), context, bound::add);
      String node = one.nodeId();
      if (node == null) {
        return one;
      }
      sent.add(loads.startRequest(node, Phase.QUERY));
    }
    throw new AssertionError("nothing waits");
  }

  private void runAll(Deque<Runnable> tasks) {
    for (int left = tasks.size(); left > 0; left--) {
      tasks.remove().run();
    }
  }

  @Test
  void wakesARequestAtHome() {
    fill();
    assertThat(binder.waitingRequests()).isOne();
    sent.removeFirst().onResponse(0, 2_000_500);
    assertThat(bound).as("not on the thread that made room").isEmpty();
    runAll(atHome);
    assertThat(bound).hasSize(1);
    assertThat(bound.getFirst().nodeId()).isIn("a", "b");
    assertThat(bound.getFirst().tryMarkSent()).isTrue();
    assertThat(binder.waitingRequests()).isZero();
    assertThat(binder.totals().delayedRequests()).isOne();
  }

  @Test
  void ticksWhileSomethingWaitsAndNoLonger() {
    fill();
    assertThat(timers).hasSize(1);
    runAll(timers);
    assertThat(timers).hasSize(1);
    now += 500_000_000;
    runAll(timers);
    assertThat(timers).isEmpty();
    runAll(atHome);
    assertThat(bound).as("it waited for too long").hasSize(1);
    assertThat(binder.totals().expiredRequests()).isOne();
  }

  @Test
  void aRequestThatLeavesIsNotWoken() {
    CopyBinder.Binding waiting = fill();
    waiting.release();
    sent.removeFirst().onResponse(0, 2_000_500);
    runAll(atHome);
    assertThat(bound).isEmpty();
    assertThat(waiting.tryMarkSent()).isFalse();
  }

  @Test
  void aRequestGoesByItsOwnPolicy() {
    fill();
    RequestContext other = new RequestContext(atHome::add, 2, Map.of());
    other.resources().setPolicy(policies.compile("other", policy("enabled: false"), null));
    CopyBinder.BindingRequest offer =
        new CopyBinder.BindingRequest(COPIES, NodeCallType.HITS, true);
    assertThat(binder.bind(offer, other, bound::add).nodeId()).as("does not wait").isNotNull();
    assertThat(binder.bind(offer, context, bound::add).nodeId()).isNull();
    assertThat(binder.waitingRequests()).isEqualTo(2);
  }

  @Test
  void whatWaitsForADepartedNodeIsMoved() {
    fill();
    loads.retainOnly(Set.of("b"));
    binder.retainOnly(Set.of("b"));
    now += 500_000_000;
    runAll(timers);
    runAll(atHome);
    assertThat(bound).extracting(CopyBinder.Binding::nodeId).containsExactly("b");
  }
}
