package dev.weir.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class SkipReasonTest {
  @Test
  void takesTheReasonThatAConditionWasGiven() {
    assertThat(SkipReason.ofCondition("Disabled on operating system: Windows ==> needs epoll"))
        .isEqualTo("needs epoll");
    assertThat(SkipReason.ofCondition("the fix is\n  not released"))
        .isEqualTo("the fix is not released");
  }

  @Test
  void refusesTheTextThatJUnitMakesUpForACondition() {
    String without = " is @" + Disabled.class.getSimpleName();
    assertThat(SkipReason.ofCondition("void dev.weir.ATest.a()" + without)).isNull();
    assertThat(SkipReason.ofCondition("class dev.weir.ATest" + without)).isNull();
    assertThat(SkipReason.ofCondition("Disabled on operating system: Linux")).isNull();
    assertThat(SkipReason.ofCondition("System property [weir.record] does not exist")).isNull();
    assertThat(SkipReason.ofCondition(" ")).isNull();
    assertThat(SkipReason.ofCondition(null)).isNull();
  }

  @Test
  void takesTheReasonThatAnAssumptionWasGiven() {
    assertThat(SkipReason.ofAssumption("Assumption failed: helm is missing here"))
        .isEqualTo("helm is missing here");
    assertThat(SkipReason.ofAssumption("[perf is missing] Expecting value to be true"))
        .isEqualTo("[perf is missing] Expecting value to be true");
  }

  @Test
  void refusesTheTextThatJUnitMakesUpForAnAssumption() {
    assertThat(SkipReason.ofAssumption("Assumption failed: assumption is not true")).isNull();
    assertThat(SkipReason.ofAssumption("Assumption failed: ")).isNull();
    assertThat(
            SkipReason.ofAssumption(
                "assumption was not met due to:\nExpecting value to be true but was false"))
        .isNull();
    assertThat(SkipReason.ofAssumption(null)).isNull();
  }
}
