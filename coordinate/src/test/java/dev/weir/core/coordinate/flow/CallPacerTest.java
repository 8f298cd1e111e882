package dev.weir.core.coordinate.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallPacerTest {
  private static final long EIGHTH = CallPacer.MAX_BYTES / 8;

  private final List<Integer> sent = new ArrayList<>();

  /** Starts calls of equal size, which go to the nodes in turns. */
  private CallPacer start(int calls, int nodes, long bytes) {
    CallPacer pacer = new CallPacer(call -> "n" + call % nodes, call -> bytes, sent::add);
    pacer.start(calls);
    return pacer;
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void sendCallsWithoutBytesAtOnce() {
    start(1000, 3, 0);
    assertThat(sent).isEqualTo(numbers(1000));
  }

  @Test
  void sendCallsThatFitTogetherAtOnce() {
    start(8, 2, EIGHTH);
    assertThat(sent).isEqualTo(numbers(8));
  }

  @Test
  void sendOneCallForEachOutcome() {
    CallPacer pacer = start(20, 1, EIGHTH);
    for (int ended = 0; ended < 20; ended++) {
      assertThat(sent).isEqualTo(numbers(Math.min(20, ended + 8)));
      pacer.onOutcome(ended);
    }
    assertThat(sent).isEqualTo(numbers(20));
  }

  @Test
  void sendLargeCallsOneAfterTheOther() {
    CallPacer pacer = start(3, 3, 2 * CallPacer.MAX_BYTES);
    assertThat(sent).containsExactly(0);
    pacer.onOutcome(0);
    assertThat(sent).containsExactly(0, 1);
    pacer.onOutcome(1);
    assertThat(sent).containsExactly(0, 1, 2);
  }

  /** Half of the calls go to a node that never responds. */
  @Test
  void holdBackOnlyTheCallsToASilentNode() {
    CallPacer pacer = start(40, 2, EIGHTH);
    for (int read = 0; read < sent.size(); read++) {
      int call = sent.get(read);
      if (call % 2 == 1) {
        pacer.onOutcome(call);
      }
    }
    assertThat(sent.stream().filter(call -> call % 2 == 0)).hasSize(4);
    assertThat(sent.stream().filter(call -> call % 2 == 1)).hasSize(20);
  }

  @Test
  void sendTheRestWhereCallsFailWhileTheyAreSent() {
    List<CallPacer> pacer = new ArrayList<>();
    pacer.add(
        new CallPacer(
            call -> "n0",
            call -> CallPacer.MAX_BYTES,
            call -> {
              sent.add(call);
              pacer.getFirst().onOutcome(call);
            }));
    pacer.getFirst().start(100_000);
    assertThat(sent).isEqualTo(numbers(100_000));
  }
}
