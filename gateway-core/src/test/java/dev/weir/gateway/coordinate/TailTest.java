package dev.weir.gateway.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.PendingCall;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TailTest {
  private static final long MILLIS = 1_000_000;

  private static final PendingCall CALL = () -> false;

  @Test
  void waitsTwiceAsLongBeforeEachFurtherLookButNoMoreThanASecond() {
    Tail tail = new ScriptedTail();
    List<Long> pauses = new ArrayList<>();
    long waited = 200 * MILLIS;
    for (int i = 0; i < 4; i++) {
      waited = tail.lookAgainNanos(CALL, waited);
      pauses.add(waited / MILLIS);
    }
    assertThat(pauses).containsExactly(400L, 800L, 1000L, 1000L);
  }

  @Test
  void waitsAtLeastAsLongAsIsWorthIt() {
    assertThat(new ScriptedTail().lookAgainNanos(CALL, 10)).isEqualTo(MILLIS);
  }

  @Test
  void neverLooksAgainWhenThatIsToldOnce() {
    assertThat(Tail.PLAIN.lookAgainNanos(CALL, 10)).isNegative();
  }
}
