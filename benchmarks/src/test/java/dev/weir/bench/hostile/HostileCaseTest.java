package dev.weir.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.hostile.HostileOutcome;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostileCaseTest {
  private static final Map<Integer, Integer> STATUSES =
      Map.of(200, 1, 400, 2, HostileOutcome.CLOSED, 3, HostileOutcome.TIMED_OUT, 4);

  private static int lost(boolean mustAnswer, boolean mayBeReset) {
    return new HostileCase("a", target -> STATUSES, mustAnswer, mayBeReset).lost(STATUSES);
  }

  @Test
  void countConnectionsThatWereClosedWithoutAResponse() {
    assertThat(lost(true, false)).isEqualTo(7);
  }

  @Test
  void allowAResetWhereAClientMayNotReadItsResponse() {
    assertThat(lost(true, true)).isEqualTo(4);
  }

  @Test
  void countNoneOfACrowd() {
    assertThat(lost(false, false)).isZero();
  }
}
