package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.routing.NodeLoads.Failure;
import dev.weir.routing.NodeLoads.Outstanding;
import dev.weir.routing.estimate.Faults;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is learned from an answer to a request that nobody waited for any more. */
final class LateAnswerTest {
  private final Bench bench = new Bench(Policies.PLAIN);

  @BeforeEach
  void warm() {
    for (int i = 0; i < 100; i++) {
      bench.answer("a", 5, 0, 5 + i * 1e-6);
      bench.answer("b", 5, 0, 5 + i * 1e-6);
    }
  }

  private NodeState a() {
    return bench.tracker.state("a", Phase.QUERY);
  }

  private double silence() {
    return a().silenceNanos(bench.now(), bench.tracker.awakeSince());
  }

  /** A request that the node stands still with, and that another copy answers meanwhile. */
  private Outstanding stuck(int millis) {
    Outstanding stuck = bench.send("a");
    bench.pass(millis / 2);
    stuck.abandoned();
    bench.pass(millis / 2);
    assertThat(silence()).isPositive();
    return stuck;
  }

  @Test
  void anAnswerEndsTheSilence() {
    stuck(300).replied(0, 5_000_001);
    assertThat(silence()).isZero();
    bench.pass(100);
    assertThat(silence()).isZero();
    assertThat(bench.tracker.outstanding()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"ERROR", "REJECTED"})
  void theErrorOfACancelledTaskEndsTheSilenceAndIsNoFault(Failure failure) {
    stuck(300).failed(failure);
    assertThat(silence()).isZero();
    assertThat(a().faults()).isEqualTo(Faults.NONE);
    assertThat(a().belief().queue()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNREACHABLE", "TIMEOUT"})
  void whatIsNoAnswerEndsNoSilence(Failure failure) {
    stuck(300).failed(failure);
    assertThat(silence()).isPositive();
  }

  @Test
  void isHeardOnce() {
    Outstanding late = stuck(300);
    late.replied(0, 5_000_001);
    Outstanding stuck = stuck(300);
    late.replied(0, 5_000_002);
    late.failed(Failure.ERROR);
    assertThat(silence()).isPositive();
    stuck.abandoned();
    assertThat(bench.tracker.outstanding()).isZero();
  }

  @Test
  void aRequestThatTimedOutTellsNothingMore() {
    Outstanding lost = bench.send("a");
    bench.pass(300);
    lost.failed(Failure.TIMEOUT);
    lost.replied(0, 5_000_001);
    assertThat(silence()).isPositive();
  }

  @Test
  void aNodeThatStandsStillAgainSoonStaysSilentUntilItAnswersInTime() {
    stuck(300).failed(Failure.ERROR);
    bench.pass(100);
    stuck(300).failed(Failure.ERROR);
    assertThat(silence()).isPositive();
    stuck(300).replied(0, 5_000_001);
    assertThat(silence()).isPositive();
    bench.answer("a", 5, 0, 5.1);
    assertThat(silence()).isZero();
  }

  @Test
  void thatANodeStoodStillIsForgotten() {
    stuck(300).failed(Failure.ERROR);
    bench.pass(Policies.PLAIN.health().failureMemory().toMillis());
    bench.answer("a", 5, 0, 5.1);
    stuck(300).failed(Failure.ERROR);
    assertThat(silence()).isZero();
  }

  /** Of a phase in which nodes report no service time. */
  private double expectedGet() {
    bench.pass(1000);
    return bench.tracker.state("a", Phase.GET).expectedNanos(0, bench.now());
  }

  private void warmGets() {
    for (int i = 0; i < 100; i++) {
      Outstanding get = bench.tracker.begin("a", Phase.GET);
      bench.pass(5);
      get.replied(-1, -1);
    }
  }

  private void leave(int count, long millis) {
    List<Outstanding> losers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      losers.add(bench.tracker.begin("a", Phase.GET));
    }
    bench.pass(millis);
    losers.forEach(Outstanding::abandoned);
    losers.forEach(loser -> loser.failed(Failure.ERROR));
  }

  @Test
  void onePauseDoesNotSpoilWhatIsExpected() {
    warmGets();
    double before = expectedGet();
    leave(10, 2000);
    assertThat(expectedGet()).isGreaterThanOrEqualTo(before).isLessThan(3 * before);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 5, 20, 200, 60_000})
  void aCensoredTimeNeverMakesANodeLookBetter(long millis) {
    warmGets();
    double before = expectedGet();
    for (int i = 0; i < 30; i++) {
      leave(1, millis);
    }
    assertThat(expectedGet()).isGreaterThanOrEqualTo(0.999 * before);
  }

  @Test
  void answersThatAreAlwaysLateMakeANodeLookWorse() {
    warmGets();
    double before = expectedGet();
    for (int i = 0; i < 30; i++) {
      leave(1, 100);
    }
    assertThat(expectedGet()).isGreaterThan(1.2 * before);
  }

  @Test
  void wherePiggybackedTimesTellTheyCountAndNoLateAnswer() {
    Belief before = a().belief();
    stuck(300).replied(50, 900_000_000);
    assertThat(a().belief()).isEqualTo(before);
    assertThat(a().residualNanos(0)).isZero();
  }
}
