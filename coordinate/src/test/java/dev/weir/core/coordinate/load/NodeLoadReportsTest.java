package dev.weir.core.coordinate.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.Capability;
import dev.weir.model.Phase;
import dev.weir.protocol.NodeLoadReport;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeLoadReportsTest {
  private final Set<String> capable = new HashSet<>(Set.of("a"));
  private long now = Long.MAX_VALUE - 5; // the clock may overflow
  private final NodeLoadReports reports =
      new NodeLoadReports(
          (node, capability) -> capability == Capability.LOAD_FEEDBACK && capable.contains(node),
          () -> now);

  private static NodeLoadReport report(int queued, long serviceNanos, long gcPauseMillis) {
    return new NodeLoadReport(1, queued, serviceNanos, 20, 60, gcPauseMillis, 0);
  }

  private void receive(Phase phase, NodeLoadReport report) {
    inbox(phase).record(report);
  }

  private NodeLoadReports.Inbox inbox(Phase phase) {
    return Objects.requireNonNull(reports.inbox("a", phase));
  }

  @Test
  void askOnlyNodesWithTheCapabilityAndPhasesWithAPool() {
    assertThat(reports.inbox("a", Phase.GET)).isNotNull();
    assertThat(reports.inbox("a", Phase.CAN_MATCH)).isNull();
    assertThat(reports.inbox("b", Phase.GET)).isNull();
  }

  @Test
  void showTheNewestReports() {
    receive(Phase.GET, report(1, 10, 100));
    now += 10;
    receive(Phase.WRITE, report(2, 20, 110));
    now += 1;

    NodeLoadReports.Received get = Objects.requireNonNull(reports.newest("a", Phase.GET));
    assertThat(get.report()).isEqualTo(report(1, 10, 100));
    assertThat(reports.ageNanos(get)).isEqualTo(11);
    assertThat(reports.newest("a", Phase.QUERY)).isNull();
    assertThat(reports.newestOfNodes())
        .containsExactly(new NodeLoadReports.NodeReport("a", Phase.WRITE, report(2, 20, 110), 110));
    assertThat(reports.newestOfPhases())
        .extracting(NodeLoadReports.NodeReport::phase)
        .containsExactly(Phase.GET, Phase.WRITE);
  }

  /** A counter that falls looks like a restart of the node. */
  @Test
  void keepThePausesWhenResponsesOvertakeEachOther() {
    receive(Phase.GET, report(1, 10, 110));
    receive(Phase.GET, report(1, 10, 100));
    assertThat(reports.newestOfNodes())
        .extracting(NodeLoadReports.NodeReport::gcPauseMillis)
        .containsExactly(110L);
    reports.forget("a");
    receive(Phase.GET, report(1, 10, 3));
    assertThat(reports.newestOfNodes())
        .extracting(NodeLoadReports.NodeReport::gcPauseMillis)
        .containsExactly(3L);
  }

  @Test
  void showNothingOfANodeThatHasLostTheCapability() {
    receive(Phase.GET, report(1, 10, 100));
    capable.clear();
    assertThat(reports.newest("a", Phase.GET)).isNull();
    assertThat(reports.newest("a")).isNull();
    assertThat(reports.newestOfNodes()).isEmpty();
    assertThat(reports.newestOfPhases()).isEmpty();
  }

  @Test
  void forgetDepartedNodes() {
    receive(Phase.GET, report(1, 10, 100));
    reports.retainOnly(Set.of("b"));
    assertThat(reports.newestOfNodes()).isEmpty();
  }

  @Test
  void preferTheHeaderExceptForQueries() {
    NodeLoadReport header = report(5, 50, 0);
    for (Phase phase : new Phase[] {Phase.FETCH, Phase.GET, Phase.WRITE}) {
      assertThat(inbox(phase).queueSize(3, header)).isEqualTo(5);
      assertThat(inbox(phase).serviceNanos(30, header)).isEqualTo(50);
    }
    assertThat(inbox(Phase.QUERY).queueSize(3, header)).isEqualTo(3);
    assertThat(inbox(Phase.QUERY).serviceNanos(30, header)).isEqualTo(30);
  }

  @Test
  void useWhatIsKnown() {
    NodeLoadReport unknown = report(-1, -1, 0);
    assertThat(inbox(Phase.WRITE).queueSize(3, unknown)).isEqualTo(3);
    assertThat(inbox(Phase.WRITE).serviceNanos(30, unknown)).isEqualTo(30);
    assertThat(inbox(Phase.QUERY).queueSize(-1, report(5, 50, 0))).isEqualTo(5);
    assertThat(inbox(Phase.QUERY).serviceNanos(-1, report(5, 50, 0))).isEqualTo(50);
    assertThat(inbox(Phase.QUERY).queueSize(0, report(5, 50, 0))).isZero();
  }
}
