package dev.weir.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.TenantBounds;
import dev.weir.advice.snapshot.TrafficFacts;
import dev.weir.advice.snapshot.TrafficFacts.Count;
import dev.weir.advice.snapshot.TrafficFacts.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  /** A gateway's page takes a thread for as long, so no check searches all copies per index. */
  @Test
  @Timeout(30)
  void adviseOnALargeCluster() {
    SnapshotFixture fixture = new SnapshotFixture();
    for (int i = 0; i < 50; i++) {
      fixture.nodes.add(SnapshotFixture.node("node-" + i));
    }
    for (int i = 0; i < 5000; i++) {
      fixture.index("index-" + i, 5, 1, SnapshotFixture.GB, Map.of());
    }
    Usage byIndex =
        new Usage(Map.of("index-0", new Count(2000, 2000), "index-1", new Count(100, 100)), 0, 0);
    fixture.traffic =
        new TrafficFacts(byIndex, TrafficFacts.NONE.byTenant(), List.of(), TenantBounds.NONE);
    Advice advice = Advisor.ofAllChecks().advise(fixture.snapshot());
    assertThat(advice.omitted())
        .containsEntry("tiny-shards", 4990)
        .containsEntry("shards-per-heap", 40);
  }
}
