package dev.weir.gateway.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProbeHistoryTest {
  private static final ProbeResult OPEN = ProbeResult.Open.SERVED;
  private static final ProbeResult SECURED = new ProbeResult.Secured(401);
  private static final ProbeResult SILENT = new ProbeResult.Unreachable("no response");

  private final ProbeHistory history = new ProbeHistory();

  @Test
  void keepANodeSecuredUntilItRestarts() {
    history.add(SECURED, 0);
    history.add(OPEN, 1);
    assertThat(history.result()).isEqualTo(SECURED);
  }

  @Test
  void noticeThatAnOpenNodeIsSecuredNow() {
    history.add(OPEN, 0);
    history.add(SECURED, 1);
    assertThat(history.result()).isEqualTo(SECURED);
  }

  @Test
  void keepWhatIsKnownOfANodeThatFallsSilent() {
    history.add(OPEN, 0);
    history.add(SILENT, 1);
    assertThat(history.result()).isEqualTo(OPEN);
  }

  @Test
  void takeTheFirstAnswerOfANodeThatWasSilent() {
    history.add(SILENT, 0);
    history.add(new ProbeResult.Unclear("answered 503"), 1);
    assertThat(history.result()).isEqualTo(new ProbeResult.Unclear("answered 503"));
    history.add(OPEN, 2);
    assertThat(history.result()).isEqualTo(OPEN);
  }

  @Test
  void probeAgainSoonAfterSilenceAndSeldomAfterAnAnswer() {
    long soon = ProbeHistory.RETRY_INTERVAL.toNanos();
    assertThat(history.isDue(0)).isTrue();
    history.add(SILENT, 0);
    assertThat(history.isDue(soon - 1)).isFalse();
    assertThat(history.isDue(soon)).isTrue();
    history.add(OPEN, soon);
    assertThat(history.isDue(2 * soon)).isFalse();
    assertThat(history.isDue(soon + Duration.ofMinutes(1).toNanos())).isTrue();
  }
}
