package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A copy that is preferred for its caches or its locality gives way only under load. */
final class PreferredCopyTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.yielding(true, 4));

  private int first(String... preferred) {
    return bench.selector.choosePreferred(SelectorFixture.copies(preferred), Phase.QUERY, 0);
  }

  private void warm() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    bench.pass(50);
  }

  @Test
  void keepsThePreferredCopyWhileItIsNotOverloaded() {
    warm();
    assertThat(first("a", "b")).isZero();
    for (int i = 0; i < 12; i++) {
      bench.send("a");
    }
    assertThat(first("a", "b")).as("some threads are free").isZero();
  }

  @Test
  void keepsASlowerCopyThatHasThreadsFree() {
    bench.warm("a", 40);
    bench.warm("b", 2);
    assertThat(first("a", "b")).isZero();
  }

  @Test
  void givesWayWhileItIsOverloaded() {
    warm();
    List<NodeLoadRecorder.OutstandingRequest> sent = new java.util.ArrayList<>();
    for (int i = 0; i < 40; i++) {
      sent.add(bench.send("a"));
    }
    assertThat(first("a", "b")).isEqualTo(1);
    assertThat(first("b", "a")).isZero();
    sent.forEach(NodeLoadRecorder.OutstandingRequest::onAbandon);
    assertThat(first("a", "b")).as("and is first again after that").isZero();
  }

  @Test
  void givesWayWhileItIsSilentOrEjected() {
    warm();
    bench.send("a");
    bench.pass(400);
    bench.answer("b", 2, 0, 2);
    assertThat(first("a", "b")).as("silent").isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(first("b", "a")).as("ejected").isEqualTo(1);
  }

  @Test
  void takeNoProbeForAnExplanation() {
    warm();
    eject("a");
    bench.pass(700);
    assertThat(bench.selector.peekPreferred(SelectorFixture.copies("a", "b"), Phase.QUERY, 0))
        .isEqualTo(1);
    assertThat(first("a", "b")).as("the probe").isZero();
  }

  @Test
  void probeAnEjectedCopyOnceAndReadmitIt() {
    warm();
    eject("a");
    assertThat(first("a", "b")).isEqualTo(1);
    bench.pass(700);
    assertThat(first("a", "b")).as("one request").isZero();
    assertThat(first("a", "b")).as("not sent yet").isZero();
    NodeLoadRecorder.OutstandingRequest probe = bench.send("a");
    assertThat(first("a", "b")).as("and no more").isEqualTo(1);
    probe.onResponse(0, 2_000_000);
    assertThat(first("a", "b")).as("well again").isZero();
  }

  @Test
  void probeASilentCopyAgain() {
    warm();
    NodeLoadRecorder.OutstandingRequest stuck = bench.send("a");
    bench.pass(400);
    bench.answer("b", 2, 0, 2);
    stuck.onAbandon();
    assertThat(first("a", "b")).isEqualTo(1);
    int asked = 0;
    for (int i = 0; i < 200; i++) {
      bench.pass(10);
      asked += first("a", "b") == 0 ? 1 : 0;
    }
    assertThat(asked).isBetween(1, 8);
  }

  @Test
  void rankNoProbeFirstForLaterAttempts() {
    warm();
    eject("a");
    bench.pass(700);
    assertThat(bench.selector.orderFallbacks(SelectorFixture.copies("a", "b"), Phase.QUERY, 0))
        .startsWith(SelectorFixture.copy("b"));
    assertThat(bench.first("a", "b")).as("the probe is there yet").isEqualTo("a");
  }

  @Test
  void tellThatTheFirstCopyIsATest() {
    warm();
    eject("a");
    assertThat(rank("a", "b").startsWithTrial()).isFalse();
    bench.pass(700);
    bench.answer("b", 2, 0, 2);
    RankedCopies probing = rank("b", "a");
    assertThat(probing.copies()).isEqualTo(SelectorFixture.copies("a", "b"));
    assertThat(probing.startsWithTrial()).isTrue();
    bench.send("a");
    assertThat(rank("a", "b").startsWithTrial()).as("the probe is sent").isFalse();
    bench.pass(600);
    assertThat(rank("a", "b").startsWithTrial()).as("b is idle").isTrue();
    assertThat(rank("b").startsWithTrial()).isFalse();
  }

  private RankedCopies rank(String... nodes) {
    return bench.selector.rank(SelectorFixture.copies(nodes), Phase.QUERY, 0);
  }

  private void eject(String node) {
    for (int i = 0; i < 3; i++) {
      bench.send(node).onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
  }

  @Test
  void takesTheNextInOrderThatIsNotOverloaded() {
    warm();
    bench.warm("c", 2);
    for (int i = 0; i < 40; i++) {
      bench.send("a");
      bench.send("b");
    }
    assertThat(first("a", "b", "c")).isEqualTo(2);
    for (int i = 0; i < 40; i++) {
      bench.send("c");
    }
    assertThat(first("a", "b", "c")).as("all alike").isZero();
  }

  @Test
  void doNotFallBackToAnInitializingCopy() {
    warm();
    for (int i = 0; i < 40; i++) {
      bench.send("a");
    }
    ShardCopy initializing = new ShardCopy("b", "new", false, true, Map.of());
    List<ShardCopy> copies = List.of(SelectorFixture.copy("a"), initializing);
    assertThat(bench.selector.choosePreferred(copies, Phase.QUERY, 0)).isZero();
  }

  @Test
  void neverFallBackWithStrictLocality() {
    bench.use(RoutingPolicies.yielding(false, 4));
    warm();
    for (int i = 0; i < 1000; i++) {
      bench.send("a");
    }
    assertThat(first("a", "b")).isZero();
    bench.use(RoutingPolicies.of(RoutingPolicy.Algorithm.ROUND_ROBIN, 0));
    assertThat(first("a", "b")).as("as a node").isZero();
  }
}
