package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldSlotsTest {
  private static final long MILLI = 1_000_000;

  private final HeldSlots slots = new HeldSlots();

  @Test
  void countsByTenant() {
    slots.onCallStart("a", 0);
    slots.add("a", 3);
    slots.onCallStart("b", 0);
    assertThat(slots.countOf("a")).isEqualTo(4);
    assertThat(slots.countOfOthers("a")).isEqualTo(1);
    assertThat(slots.total()).isEqualTo(5);
    slots.add("a", -3);
    slots.onCallEnd("a");
    slots.onCallEnd("b");
    assertThat(slots.countOf("a")).isZero();
    assertThat(slots.countOf("b")).isZero();
    assertThat(slots.total()).isZero();
  }

  @Test
  void aTenantThatIsAloneSharesWithNobody() {
    assertThat(slots.isShared("a", 0)).isFalse();
    slots.onCallStart("a", 0);
    slots.onCallStart("a", 0);
    assertThat(slots.isShared("a", 0)).isFalse();
    assertThat(slots.isShared("b", 0)).isTrue();
  }

  @Test
  void sharesWhileAnotherHasCallsForAnyTime() {
    slots.onCallStart("a", 0);
    slots.onCallStart("b", 0);
    assertThat(slots.isShared("a", 60_000 * MILLI)).isTrue();
    slots.onCallEnd("b");
    assertThat(slots.isShared("a", 60_000 * MILLI)).isFalse();
  }

  @Test
  void sharesWhileAnotherWaits() {
    slots.onCallStart("a", 0);
    slots.onWaitStart("a");
    assertThat(slots.isShared("a", 0)).isFalse();
    slots.onWaitStart("b");
    assertThat(slots.isShared("a", 0)).isTrue();
    assertThat(slots.countOf("b")).isZero();
    assertThat(slots.countOf("a")).isEqualTo(1);
    assertThat(slots.total()).isEqualTo(1);
    slots.onWaitEnd("b");
    assertThat(slots.isShared("a", 0)).isFalse();
  }

  @Test
  void aTenantIsPresentForTwoSecondsAfterTheStartOfItsLastCall() {
    slots.onCallStart("a", 0);
    slots.onCallStart("b", 0);
    slots.onCallStart("b", 1000 * MILLI);
    slots.onCallEnd("b");
    slots.onCallEnd("b");
    slots.onCallStart("a", 2900 * MILLI);
    assertThat(slots.isShared("a", 2999 * MILLI)).isTrue();
    assertThat(slots.isShared("a", 3000 * MILLI)).isFalse();
    assertThat(slots.isShared("b", 3000 * MILLI)).isTrue();
  }
}
