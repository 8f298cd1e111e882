package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.InterleavingCheck;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

public final class BoundedCounterTest {
  private static final int MAX = 2;

  private final BoundedCounter counter = new BoundedCounter();

  @Test
  void addUpToTheBound() {
    assertThat(counter.tryAdd(3, 5)).isTrue();
    assertThat(counter.tryAdd(3, 5)).isFalse();
    assertThat(counter.get()).isEqualTo(3);
    assertThat(counter.tryAdd(2, 5)).isTrue();
    counter.subtract(5);
    assertThat(counter.get()).isZero();
  }

  @Test
  void refuseWhileOverTheBound() {
    counter.add(9);
    assertThat(counter.tryAdd(1, 5)).isFalse();
    assertThat(counter.tryAdd(1, 10)).isTrue();
    assertThat(counter.get()).isEqualTo(10);
  }

  @Test
  void refuseWhatWouldOverflow() {
    counter.add(1);
    assertThat(counter.tryAdd(Long.MAX_VALUE, 5)).isFalse();
    assertThat(counter.get()).isEqualTo(1);
  }

  @Test
  void refuseNothingThatFits() {
    InterleavingCheck.assertLinearizable(Operations.class);
  }

  /** What threads do with a counter at its bound. */
  public static final class Operations {
    private final BoundedCounter counter = new BoundedCounter();

    public Operations() {
      counter.add(MAX);
    }

    @Operation
    public boolean tryAdd() {
      return counter.tryAdd(1, MAX);
    }

    @Operation
    public void subtract() {
      counter.subtract(1);
    }
  }
}
