package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeastOutstandingTargetSelectorTest {

  private static final InetSocketAddress A = InetSocketAddress.createUnresolved("a", 1);
  private static final InetSocketAddress B = InetSocketAddress.createUnresolved("b", 1);
  private static final InetSocketAddress C = InetSocketAddress.createUnresolved("c", 1);

  private final AtomicLong clock = new AtomicLong();
  private List<InetSocketAddress> live = List.of(A, B, C);
  private final LeastOutstandingTargetSelector targets =
      new LeastOutstandingTargetSelector(() -> live, Duration.ofNanos(100), clock::get);

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
    targets.onEnded(A, true);
    targets.onEnded(A, true);
    assertThat(targets.pick(List.of())).isEqualTo(A);
    assertThat(targets.pick(List.of(A))).isEqualTo(B);
  }

  @Test
  void passesOverANodeThatCouldNotBeReached() {
    targets.onStarted(A);
    targets.onEnded(A, false);
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
  void trustsANodeAgainThatAnswered() {
    targets.onStarted(A);
    targets.onEnded(A, false);
    targets.onStarted(A);
    targets.onEnded(A, true);
    targets.onStarted(B);
    targets.onStarted(C);
    assertThat(targets.pick(List.of())).isEqualTo(A);
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
      targets.onEnded(node, true);
    }
    assertThat(targets.trackedNodes()).isLessThanOrEqualTo(1024);
  }
}
