package dev.weir.protocol.loop;

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

  private void useAll() {
    measure(20, 1, 1, 1, 1);
    assertThat(allocator.loopsInUse()).isEqualTo(4);
  }

  private int countMoves(int loop) {
    int moves = 0;
    while (allocator.tryMoveAway(loop)) {
      moves++;
    }
    return moves;
  }

  @Test
  void useOneLoopAtFirst() {
    assertThat(targets()).containsExactly(0);
    measure(10 * IDLE_SAMPLES, 0, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isOne();
    assertThat(countMoves(0)).isZero();
  }

  @Test
  void addALoopSoonAfterOneGetsBusy() {
    measure(2, 1, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isOne();
    measure(1, 1, 0, 0, 0);
    assertThat(allocator.loopsInUse()).isEqualTo(2);
    assertThat(targets()).containsExactly(1);
  }

  @Test
  void addALoopForOneThatGetsBusyAfterItWasLeftOut() {
    measure(3, 0.1, 0, 0, 1);
    assertThat(allocator.loopsInUse()).isEqualTo(2);
  }

  @Test
  void spreadConnectionsOverLoopsThatAreAboutEquallyBusy() {
    useAll();
    assertThat(targets()).containsExactly(0, 1, 2, 3);
    measure(10, 0.6, 0.6, 0.9, 0.65);
    assertThat(targets()).containsExactly(0, 1, 3);
  }

  @Test
  void leaveOutLoopsThatOthersCanCarryForLong() {
    useAll();
    measure(5 + IDLE_SAMPLES, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.loopsInUse()).isEqualTo(3);
    measure(2 * IDLE_SAMPLES, 0.1, 0.1, 0.1, 0.1);
    assertThat(allocator.loopsInUse()).isOne();
    assertThat(targets()).containsExactly(0);
  }

  @Test
  void keepLoopsWhoseWorkWouldMakeOthersBusy() {
    useAll();
    measure(20 * IDLE_SAMPLES, 0.45, 0.45, 0.45, 0.45);
    assertThat(allocator.loopsInUse()).isEqualTo(4);
  }

  @Test
  void keepLoopsThatAreBusyNowAndThen() {
    useAll();
    for (int i = 0; i < 10; i++) {
      measure(IDLE_SAMPLES - 2, 0.1, 0.1, 0.1, 0.1);
      measure(3, 0.6, 0.6, 0.6, 0.6);
    }
    assertThat(allocator.loopsInUse()).isEqualTo(4);
  }

  @Test
  void moveConnectionsOffALoopThatStaysOverloaded() {
    measure(10, 1, 0, 0, 0);
    assertThat(countMoves(0)).isZero();
    measure(1, 1, 0, 0, 0);
    assertThat(countMoves(0)).isEqualTo(8);
    assertThat(countMoves(1)).isZero();
    measure(1, 1, 0, 0, 0);
    assertThat(countMoves(0)).isEqualTo(8);
    measure(1, 0.5, 0, 0, 0);
    assertThat(countMoves(0)).isZero();
  }

  @Test
  void moveNothingWhileAllLoopsAreBusy() {
    measure(50, 1, 1, 1, 1);
    for (int loop = 0; loop < 4; loop++) {
      assertThat(countMoves(loop)).isZero();
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
