package dev.weir.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdvisorTest {
  private record FixedCheck(List<Finding> found) implements Check {
    @Override
    public String name() {
      return "fixed";
    }

    @Override
    public Set<ApiSource> needs() {
      return Set.of();
    }

    @Override
    public List<Finding> run(ClusterSnapshot snapshot) {
      return found;
    }
  }

  private static Finding finding(Severity severity, String subject) {
    return new Finding("fixed", severity, subject, "", "", Mend.of(""));
  }

  @Test
  void leaveOutTheLeastFindingsOfACheck() {
    List<Finding> found = new ArrayList<>();
    for (int i = 0; i < Advisor.MAX_FINDINGS_PER_CHECK; i++) {
      found.add(finding(Severity.ADVICE, "advice-" + i));
    }
    found.add(finding(Severity.PROBLEM, "problem"));
    Check check = new FixedCheck(List.copyOf(found));
    Advice advice = new Advisor(List.of(check)).advise(SnapshotFixture.healthy().snapshot());
    assertThat(advice.hasProblems()).isTrue();
    assertThat(advice.findings().getFirst().subject()).isEqualTo("problem");
    assertThat(advice.findings().getLast().subject()).as("in their order").isEqualTo("advice-8");
    assertThat(advice.omitted()).containsEntry("fixed", 1);
  }
}
