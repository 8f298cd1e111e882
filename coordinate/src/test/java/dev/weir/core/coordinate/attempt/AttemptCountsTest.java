package dev.weir.core.coordinate.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.attempt.AttemptCounts.Count;
import dev.weir.model.ShardRoutingRecorder.Reason;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AttemptCountsTest {
  private final AttemptCounts counts = new AttemptCounts();

  @Test
  void listOnlyAttemptsThatWereMade() {
    assertThat(counts.attemptsByNodeAndReason()).isEmpty();
    counts.recordAttempt("n1", Reason.BEST_SCORE);
    counts.recordAttempt("n1", Reason.BEST_SCORE);
    counts.recordAttempt("n1", Reason.EJECTED_PROBE);
    counts.recordAttempt("n2", Reason.RETRY);
    assertThat(counts.attemptsByNodeAndReason())
        .containsExactlyInAnyOrder(
            new Count("n1", "best-score", 2),
            new Count("n1", "ejected-probe", 1),
            new Count("n2", "retry", 1));
  }

  @Test
  void forgetNodesThatAreGone() {
    counts.recordAttempt("n1", Reason.HEDGE);
    counts.recordAttempt("n2", Reason.ONLY_COPY);
    counts.retainNodes(Set.of("n2", "n3"));
    assertThat(counts.attemptsByNodeAndReason()).containsExactly(new Count("n2", "only-copy", 1));
  }
}
