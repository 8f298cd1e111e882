package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TenantServiceTrackerTest {
  private static final Offset<Double> EXACT = within(1e-9);

  private final TenantServiceTracker node = new TenantServiceTracker();

  @Test
  void startNewTenantsAtTheLevelOfThoseThatWait() {
    node.onWaitStart("one", 1);
    node.onWaitStart("gold", 4);
    for (int i = 0; i < 10; i++) {
      node.charge("one", 1, 1);
      node.charge("gold", 4, 4);
    }
    node.onWaitStart("new", 1);
    assertThat(node.virtualStart("one")).isCloseTo(10, EXACT);
    assertThat(node.virtualStart("gold")).isCloseTo(10, EXACT);
    assertThat(node.virtualStart("new")).isCloseTo(10, EXACT);
  }

  /** Otherwise a new name would have as much credit as the tenant that can't be served. */
  @Test
  void startNewTenantsNoLowerThanTheOneServedWhileAnotherWaitsForOtherNodes() {
    node.onWaitStart("blocked elsewhere", 1);
    node.onWaitStart("one", 1);
    for (int i = 0; i < 100; i++) {
      node.charge("one", 1, 1);
    }
    node.onWaitStart("new", 1);
    assertThat(node.virtualStart("one")).isCloseTo(100, EXACT);
    assertThat(node.virtualStart("new")).isBetween(99.0, 100.0);
    assertThat(node.virtualStart("blocked elsewhere")).isZero();
  }

  /** Otherwise its share would grow with every pause. */
  @Test
  void rememberWhatATenantGotThatStopsWaiting() {
    node.onWaitStart("one", 1);
    node.onWaitStart("other", 1);
    node.charge("other", 1, 10);
    node.onWaitEnd("other");
    node.onWaitStart("other", 1);
    assertThat(node.virtualStart("other")).isCloseTo(10, EXACT);
    assertThat(node.virtualStart("one")).isZero();
  }

  @Test
  void chargeWhatIsAdmittedBesideRequestsThatWait() {
    node.charge("quick", 1, 10);
    node.onWaitStart("one", 1);
    node.charge("quick", 1, 3);
    node.onWaitStart("quick", 1);
    assertThat(node.virtualStart("quick")).as("nothing while none waited").isCloseTo(3, EXACT);
  }

  @Test
  void forgetEveryTenantWhenNothingWaits() {
    node.onWaitStart("one", 1);
    node.charge("one", 1, 5);
    node.charge("quick", 1, 5);
    node.onWaitEnd("one");
    node.onWaitStart("one", 1);
    node.onWaitStart("quick", 1);
    assertThat(node.virtualStart("one")).isZero();
    assertThat(node.virtualStart("quick")).isZero();
  }

  @Test
  void rememberABoundedNumberOfTenants() {
    node.onWaitStart("one", 1);
    for (int i = 0; i <= TenantServiceTracker.MAX_IDLE_TENANTS; i++) {
      node.charge("t" + i, 1, 7);
    }
    node.onWaitStart("t0", 1);
    node.onWaitStart("t1", 1);
    assertThat(node.virtualStart("t0")).isZero();
    assertThat(node.virtualStart("t1")).isCloseTo(7, EXACT);
  }
}
