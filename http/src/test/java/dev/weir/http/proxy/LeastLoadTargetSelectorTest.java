package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeastLoadTargetSelectorTest {

  private static final InetSocketAddress A = InetSocketAddress.createUnresolved("a", 1);
  private static final InetSocketAddress B = InetSocketAddress.createUnresolved("b", 1);
  private static final InetSocketAddress C = InetSocketAddress.createUnresolved("c", 1);

  private final AtomicLong clock = new AtomicLong();
  private List<InetSocketAddress> live = List.of(A, B, C);
  private final LeastLoadTargetSelector targets =
      new LeastLoadTargetSelector(() -> live, Duration.ofNanos(100), clock::get);

  @Test
  void takesTurnsAmongEquals() {
    Set<InetSocketAddress> picked = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      picked.add(targets.pick(List.of()));
    }
    assertThat(picked).containsExactlyInAnyOrder(A, B, C);
  }

  @Test
  void prefersTheNodeWithTheFewestRequests() {
    targets.onStarted(A);
    targets.onStarted(A);
    targets.onStarted(B);
    targets.onStarted(C);
    targets.onStarted(C);
    for (int i = 0; i < 5; i++) {
      assertThat(targets.pick(List.of())).isEqualTo(B);
    }
    targets.onEnded(A, NodeContact.MADE);
    targets.onEnded(A, NodeContact.MADE);
    assertThat(targets.pick(List.of())).isEqualTo(A);
    assertThat(targets.pick(List.of(A))).isEqualTo(B);
  }

  @Test
  void passesOverANodeThatCouldNotBeReached() {
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.FAILED);
    for (int i = 0; i < 10; i++) {
      assertThat(targets.pick(List.of())).isNotEqualTo(A);
    }
    assertThat(targets.pick(List.of(B, C))).as("the last resort").isEqualTo(A);
    clock.set(100);
    targets.onStarted(B);
    targets.onStarted(C);
    assertThat(targets.pick(List.of())).as("after a while").isEqualTo(A);
  }

  @Test
  void knowNoReachableNodeWhileTheOthersAreEjected() {
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.FAILED);
    assertThat(targets.pickReachable(List.of(B))).isEqualTo(C);
    assertThat(targets.pickReachable(List.of(B, C))).isNull();
    assertThat(targets.pickReachable(List.of(A, B, C))).isNull();
    clock.set(100);
    assertThat(targets.pickReachable(List.of(B, C))).as("after a while").isEqualTo(A);
  }

  @Test
  void trustsANodeAgainThatAnswered() {
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.FAILED);
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.MADE);
    targets.onStarted(B);
    targets.onStarted(C);
    assertThat(targets.pick(List.of())).isEqualTo(A);
  }

  @Test
  void knowNothingNewOfANodeFromARequestThatEndedWithoutAConnection() {
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.FAILED);
    targets.onStarted(A);
    targets.onEnded(A, NodeContact.UNKNOWN);
    assertThat(targets.pickReachable(List.of(B, C))).isNull();
    targets.onStarted(B);
    targets.onEnded(B, NodeContact.UNKNOWN);
    assertThat(targets.pickReachable(List.of(C))).isEqualTo(B);
  }

  private void answer(InetSocketAddress node, int status, long millis) {
    targets.onStarted(node);
    clock.addAndGet(1);
    targets.onResponse(node, status, Duration.ofMillis(millis).toNanos());
    targets.onEnded(node, NodeContact.MADE);
  }

  @Test
  void preferNodesThatAnswerFaster() {
    for (InetSocketAddress node : live) {
      answer(node, 200, node.equals(B) ? 50 : 10);
    }
    for (int i = 0; i < 10; i++) {
      assertThat(targets.pick(List.of())).isNotEqualTo(B);
    }
    assertThat(targets.pick(List.of(A, C))).as("the last resort").isEqualTo(B);
  }

  @Test
  void weighWaitingRequestsByTheResponseTime() {
    live = List.of(A, B);
    answer(A, 200, 10);
    answer(B, 200, 30);
    targets.onStarted(A);
    assertThat(targets.pick(List.of())).as("2 * 10 ms, not 1 * 30 ms").isEqualTo(A);
    targets.onStarted(A);
    targets.onStarted(A);
    assertThat(targets.pick(List.of())).as("1 * 30 ms, not 4 * 10 ms").isEqualTo(B);
  }

  @Test
  void avoidANodeThatHasFallenSilent() {
    live = List.of(A, B);
    answer(A, 200, 10);
    answer(B, 200, 10);
    targets.onStarted(A);
    targets.onStarted(B);
    targets.onStarted(B);
    targets.onStarted(B);
    clock.addAndGet(Duration.ofMillis(500).toNanos());
    targets.onResponse(B, 200, Duration.ofMillis(10).toNanos());
    assertThat(targets.pick(List.of())).as("A has answered nothing for 500 ms").isEqualTo(B);
  }

  @Test
  void tryASlowNodeAgainLater() {
    live = List.of(A, B);
    answer(A, 200, 10);
    answer(B, 200, 5_000);
    assertThat(targets.pick(List.of())).isEqualTo(A);
    clock.addAndGet(Duration.ofHours(10).toNanos());
    Set<InetSocketAddress> picked = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      picked.add(targets.pick(List.of()));
    }
    assertThat(picked).containsExactlyInAnyOrder(A, B);
  }

  @Test
  void takeNoRejectionForAFastAnswer() {
    live = List.of(A, B);
    answer(A, 200, 10);
    answer(B, 200, 10);
    answer(B, 429, 1);
    answer(B, 503, 1);
    for (int i = 0; i < 4; i++) {
      assertThat(targets.pick(List.of())).isEqualTo(A);
    }
  }

  private void answerAll(int status, long millis) {
    live.forEach(node -> answer(node, status, millis));
  }

  private Set<InetSocketAddress> pickOften() {
    Set<InetSocketAddress> picked = new HashSet<>();
    for (int i = 0; i < 6; i++) {
      picked.add(targets.pick(List.of()));
    }
    return picked;
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 500, 502, 504})
  void avoidANodeThatFailsFast(int status) {
    answerAll(200, 20);
    for (int i = 0; i < 10; i++) {
      answer(B, status, 1);
    }
    assertThat(pickOften()).containsExactlyInAnyOrder(A, C);
    for (InetSocketAddress node : List.of(A, C)) {
      for (int i = 0; i < 5; i++) {
        targets.onStarted(node);
      }
    }
    assertThat(pickOften()).as("the others are busy").containsExactlyInAnyOrder(A, C);
    assertThat(targets.pick(List.of(A, C))).as("the last resort").isEqualTo(B);
  }

  @Test
  void avoidANodeThatHasOnlyFailed() {
    live = List.of(A, B);
    answer(A, 200, 20);
    for (int i = 0; i < 10; i++) {
      answer(B, 401, 1);
    }
    assertThat(pickOften()).containsExactly(A);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 409})
  void takeNoErrorForAFastAnswer(int status) {
    answerAll(200, 20);
    for (int i = 0; i < 20; i++) {
      answer(B, status, 1);
    }
    assertThat(pickOften()).containsExactlyInAnyOrder(A, B, C);
  }

  @Test
  void blameNoNodeForWhatAllNodesRefuse() {
    answerAll(200, 20);
    for (int i = 0; i < 10; i++) {
      answerAll(401, 1);
    }
    assertThat(pickOften()).containsExactlyInAnyOrder(A, B, C);
  }

  @Test
  void letErrorsOfRequestsEndTheAvoidanceOfASlowNode() {
    live = List.of(A, B);
    answer(A, 200, 10);
    answer(B, 200, 1_000);
    for (int i = 0; i < 100; i++) {
      answer(B, 404, 1);
    }
    assertThat(pickOften()).containsExactlyInAnyOrder(A, B);
  }

  @Test
  void tryAFailingNodeAgainLater() {
    answerAll(200, 20);
    for (int i = 0; i < 10; i++) {
      answer(B, 401, 1);
    }
    clock.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(pickOften()).containsExactlyInAnyOrder(A, B, C);
    answer(B, 200, 20);
    answerAll(200, 20);
    assertThat(pickOften()).as("it has recovered").containsExactlyInAnyOrder(A, B, C);
  }

  @Test
  void knowsWhenThereIsNone() {
    assertThat(targets.pick(List.of(A, B, C))).isNull();
    live = List.of();
    assertThat(targets.pick(List.of())).isNull();
  }

  @Test
  void forgetsNodesThatLeft() {
    for (int i = 0; i < 5000; i++) {
      InetSocketAddress node = InetSocketAddress.createUnresolved("n" + i, 1);
      targets.onStarted(node);
      targets.onEnded(node, NodeContact.MADE);
    }
    assertThat(targets.trackedNodes()).isLessThanOrEqualTo(1024);
  }

  @Test
  void picksANodeThatCostsMoreOnlyWhenNoOtherIsLeft() {
    InetSocketAddress usual = InetSocketAddress.createUnresolved("usual", 1);
    InetSocketAddress drained = InetSocketAddress.createUnresolved("drained", 1);
    LeastLoadTargetSelector selector =
        new LeastLoadTargetSelector(
            () -> List.of(usual, drained),
            node -> node.equals(drained) ? 1e9 : 1,
            Duration.ofNanos(100),
            clock::get);
    for (int i = 0; i < 50; i++) {
      assertThat(selector.pick(List.of())).isEqualTo(usual);
      selector.onStarted(usual);
    }
    assertThat(selector.pick(List.of(usual))).isEqualTo(drained);
    selector.onStarted(usual);
    selector.onEnded(usual, NodeContact.FAILED);
    assertThat(selector.pick(List.of())).as("the other can't be reached").isEqualTo(drained);
  }
}
