package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LoopAllocatorTest {
  private static final int IDLE_SAMPLES = 5;

  private final LoopAllocator allocator = new LoopAllocator(4, IDLE_SAMPLES);

  private void measure(int times, double... computing) {
    for (int i = 0; i < times; i++) {
      allocator.update(computing);
    }
  }

  private Set<Integer> targets() {
    Set<Integer> seen = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      seen.add(allocator.next());
    }
    return seen;
  }

  @Test
  void useAllLoopsAtFirst() {
    assertThat(targets()).containsExactly(0, 1, 2, 3);
    assertThat(allocator.tryMoveAway(0)).isFalse();
  }

  @Test
  void leaveOutLoopsThatOthersCanCarryForLong() {
    measure(IDLE_SAMPLES, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.loopsInUse()).isEqualTo(3);
    measure(2 * IDLE_SAMPLES, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.loopsInUse()).isOne();
    assertThat(targets()).containsExactly(0);
    measure(10 * IDLE_SAMPLES, 0, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isOne();
  }

  @Test
  void keepLoopsWhoseWorkWouldMakeOthersBusy() {
    measure(20 * IDLE_SAMPLES, 0.45, 0.45, 0.45, 0.45);
    assertThat(allocator.loopsInUse()).isEqualTo(4);
  }

  @Test
  void keepLoopsThatAreBusyNowAndThen() {
    for (int i = 0; i < 10; i++) {
      measure(IDLE_SAMPLES - 2, 0.1, 0.1, 0.1, 0.1);
      measure(3, 0.6, 0.6, 0.6, 0.6);
    }
    assertThat(allocator.loopsInUse()).isEqualTo(4);
  }

  @Test
  void takeALoopBackSoonAfterOneGetsBusy() {
    measure(4 * IDLE_SAMPLES, 0.1, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isOne();
    measure(1, 1, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isOne();
    measure(3, 1, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isEqualTo(2);
    assertThat(targets()).containsExactly(1);
  }

  @Test
  void moveConnectionsOffABusyLoopAFewAtATime() {
    measure(4 * IDLE_SAMPLES, 0.1, 0, 0, 0);
    measure(4, 1, 0, 0, 0);
    int moved = 0;
    while (allocator.tryMoveAway(0)) {
      moved++;
    }
    assertThat(moved).isEqualTo(8);
    assertThat(allocator.tryMoveAway(1)).isFalse();
  }

  @Test
  void moveConnectionsOffLoopsThatWereLeftOut() {
    measure(3 * IDLE_SAMPLES, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.tryMoveAway(3)).isTrue();
    assertThat(allocator.tryMoveAway(3)).isFalse();
    assertThat(allocator.tryMoveAway(0)).isFalse();
    measure(1, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.tryMoveAway(3)).isTrue();
  }

  @Test
  void moveNothingWhileAllLoopsAreBusy() {
    measure(10, 1, 1, 1, 1);
    for (int loop = 0; loop < 4; loop++) {
      assertThat(allocator.tryMoveAway(loop)).isFalse();
    }
  }

  @Test
  void useTheOnlyLoop() {
    LoopAllocator one = new LoopAllocator(1, IDLE_SAMPLES);
    for (int i = 0; i < 3 * IDLE_SAMPLES; i++) {
      one.update(new double[] {i % 2});
    }
    assertThat(one.loopsInUse()).isOne();
    assertThat(one.next()).isZero();
    assertThat(one.tryMoveAway(0)).isFalse();
  }
}
