package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.QueuePosition.State;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Nodes that can't answer have capacity for that reason, which must not admit anything. */
class FailedNodeAdmissionTest extends AdmissionQueueFixture {
  private final Set<String> failed = new HashSet<>();
  private final Set<String> due = new HashSet<>();

  FailedNodeAdmissionTest() {
    queues.setNodeAvailability((nodeId, threadPool, mayTest) ->
        !failed.contains(nodeId) || (mayTest && due.contains(nodeId)));
  }

  private List<QueuePosition<String>> offerMany(int requests, String... calls) {
    List<QueuePosition<String>> offered = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      offered.add(offer("r" + i, "t", CHEAP, calls));
    }
    return offered;
  }

  @Test
  void keepRequestsWaitingForTheNodesThatAnswer() {
    fill("n1", "n2");
    List<QueuePosition<String>> waiting = offerMany(10, "n1,n2");
    failed.add("n1");
    lane("n1").onAbandoned();
    lane("n1").onAbandoned();
    searches().tick();
    assertThat(decided).isEmpty();
    assertThat(offer("late", "t", CHEAP, "n1,n2").state()).isEqualTo(State.WAITING);
    answer("n2");
    assertThat(decided()).containsExactly("r0");
    assertThat(waiting.getFirst().isReservedOn("n2")).isTrue();
    searches().release(waiting.getFirst());
    failed.clear();
    searches().tick();
    assertThat(decided()).as("n1 answers again").hasSize(4);
  }

  @Test
  void letANewRequestTestANodeThatIsDue() {
    fill("n1", "n2");
    offerMany(3, "n1,n2");
    failed.add("n1");
    due.add("n1");
    lane("n1").onAbandoned();
    lane("n1").onAbandoned();
    assertThat(decided).isEmpty();
    QueuePosition<String> test = offer("test", "t", CHEAP, "n1,n2");
    assertThat(test.state()).isEqualTo(State.ADMITTED);
    assertThat(test.isReservedOn("n1")).isTrue();
  }

  @Test
  void admitToNodesThatFailedWhereNoOtherIsLeft() {
    failed.addAll(List.of("n1", "n2"));
    assertThat(offer("one copy", "t", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    assertThat(offer("two copies", "t", CHEAP, "n1,n2").state()).isEqualTo(State.ADMITTED);
  }

  /** Its other node restarted, and nothing was sent to it since. */
  @Test
  void admitARequestThatNeedsNothingAnyMore() {
    fill("n1");
    QueuePosition<String> position = offer("r", "t", CHEAP, "n1");
    assertThat(position.state()).isEqualTo(State.WAITING);
    searches().widen(position, NodeDemand.of(List.of()));
    assertThat(position.state()).isEqualTo(State.ADMITTED);
    assertThat(decided()).containsExactly("r");
    assertThat(searches().waiting()).isZero();
    searches().release(position);
    assertThat(queues.occupiedSlots()).isEqualTo(2);
  }
}
