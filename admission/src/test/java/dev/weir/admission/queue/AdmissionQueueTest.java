package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.QueuePosition.State;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdmissionQueueTest extends AdmissionQueueFixture {
  @Test
  void admitWithCapacityAndHoldItUntilTheCallsAreSent() {
    QueuePosition<String> first = offer("a", "t", CHEAP, "n1,n2", "n2,n3");
    assertThat(first.state()).isEqualTo(State.ADMITTED);
    assertThat(queues.occupiedSlots()).isEqualTo(2);
    searches().release(first);
    searches().release(first);
    assertThat(queues.occupiedSlots()).isZero();
  }

  @Test
  void waitUntilEveryCallHasANodeWithCapacity() {
    fill("n1", "n2");
    QueuePosition<String> whole = offer("a", "t", CHEAP, "n1", "n2", "n3");
    assertThat(whole.state()).isEqualTo(State.WAITING);
    assertThat(lane("n3").reserved()).as("what waits holds nothing").isZero();
    answer("n1");
    assertThat(whole.state()).isEqualTo(State.WAITING);
    answer("n2");
    assertThat(whole.state()).isEqualTo(State.ADMITTED);
    assertThat(decided()).containsExactly("a");
    assertThat(lane("n3").reserved()).isEqualTo(1);
  }

  @Test
  void useAnotherCopyWithCapacity() {
    fill("n1");
    assertThat(offer("a", "t", CHEAP, "n1,n2").state()).isEqualTo(State.ADMITTED);
    assertThat(lane("n2").reserved()).isEqualTo(1);
  }

  @Test
  void doNotWaitBehindRequestsForASlowNode() {
    fill("slow", "n1");
    QueuePosition<String> stuck = offer("stuck", "t", CHEAP, "slow");
    QueuePosition<String> other = offer("other", "t", CHEAP, "n1");
    answer("n1");
    assertThat(other.state()).isEqualTo(State.ADMITTED);
    assertThat(stuck.state()).isEqualTo(State.WAITING);
    assertThat(offer("third", "t", CHEAP, "n2").state()).isEqualTo(State.ADMITTED);
  }

  @Test
  void doNotStarveRequestsForManyNodes() {
    fill("n1", "n2", "n3");
    QueuePosition<String> wide = offer("wide", "t", CHEAP, "n1", "n2", "n3");
    for (int i = 0; i < 10 && wide.state() == State.WAITING; i++) {
      now += 5 * MILLI;
      offer("narrow", "t", CHEAP, "n1");
      answer("n1");
      fill("n1", "n2", "n3");
    }
    assertThat(wide.state()).isEqualTo(State.ADMITTED);
  }

  @Test
  void cheapGoesBeforeHeavyAndHeavyGetsOnToo() {
    learnCosts();
    fill("n1");
    offer("heavy", "t", HEAVY, "n1");
    for (int i = 0; i < 20; i++) {
      offer("cheap" + i, "t", CHEAP, "n1");
    }
    for (int i = 0; i < 12; i++) {
      answer("n1");
      send();
    }
    assertThat(decided().getFirst()).isEqualTo("cheap0");
    assertThat(decided()).contains("heavy");
  }

  /** Checks that admit nothing are no turns. */
  @Test
  void countAdmissionsForTheTurnOfTheOldest() {
    learnCosts();
    fill("n1");
    offer("heavy", "t", HEAVY, "n1");
    for (int i = 0; i < 20; i++) {
      offer("cheap" + i, "t", CHEAP, "n1");
    }
    for (int i = 0; i < 8; i++) {
      answer("n1");
      send();
      queues.tick();
    }
    assertThat(decided().subList(0, 7)).doesNotContain("heavy");
    assertThat(decided().get(7)).isEqualTo("heavy");
  }

  private static NodeDemand anyOf(String... nodes) {
    return NodeDemand.of(List.of(List.of(nodes)));
  }

  /** Requests that wait for one copy, and after a while for others too. */
  @Test
  void countAWidenedRequestOnce() {
    queues = queues(QueuePolicies.fixed(2, 25, Duration.ofSeconds(10)));
    fill("n1", "n2");
    List<QueuePosition<String>> places = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      places.add(offer("r" + i, "t", CHEAP, "n1"));
    }
    places.forEach(place -> searches().widen(place, anyOf("n1", "n2")));
    assertThat(searches().waiting()).isEqualTo(20);
    assertThat(decided).isEmpty();
    for (int i = 20; i < 25; i++) {
      assertThat(offer("r" + i, "t", CHEAP, "n1,n2").state()).isEqualTo(State.WAITING);
    }
    for (int i = 0; i < 25; i++) {
      int admitted = decided.size();
      answer("n2");
      assertThat(decided).hasSize(admitted + 1);
      lane("n2").onCallStart();
      searches().release(decided.getLast());
    }
    assertThat(decided().subList(0, 5)).containsExactly("r0", "r1", "r2", "r3", "r4");
    assertThat(searches().waiting()).isZero();
    assertThat(queues.occupiedSlots()).isEqualTo(4);
  }

  @Test
  void putAWidenedRequestBeforeThoseThatArrivedLater() {
    queues = queues(QueuePolicies.fixed(2, 25, Duration.ofSeconds(10)));
    fill("n1", "n2");
    QueuePosition<String> first = offer("first", "t", CHEAP, "n1");
    offer("second", "t", CHEAP, "n1,n2");
    QueuePosition<String> third = offer("third", "t", CHEAP, "n1");
    offer("fourth", "t", CHEAP, "n1,n2");
    searches().widen(third, anyOf("n1", "n2"));
    searches().widen(first, anyOf("n1", "n2"));
    for (int i = 0; i < 4; i++) {
      answer("n2");
      lane("n2").onCallStart();
      searches().release(decided.getLast());
    }
    assertThat(decided()).containsExactly("first", "second", "third", "fourth");
  }

  /** Both nodes are over their limits, by a tenth and by a quarter. */
  @Test
  void exceedNoLimitByMoreThanAQuarter() {
    queues = queues(QueuePolicy.defaults());
    queues.setThreads("n1", NodeThreadPool.SEARCH, 20); // limit 40
    queues.setThreads("n2", NodeThreadPool.SEARCH, 4); // limit 8
    for (int i = 0; i < 44; i++) {
      lane("n1").onCallStart();
    }
    for (int i = 0; i < 10; i++) {
      lane("n2").onCallStart();
    }
    QueuePosition<String> place = offer("a", "t", CHEAP, "n1,n2", "n3");
    assertThat(place.state()).isEqualTo(State.WAITING);
    now += 50 * MILLI;
    queues.tick();
    assertThat(place.state()).isEqualTo(State.ADMITTED);
    assertThat(place.isReservedOn("n1")).isTrue();
    assertThat(place.isReservedOn("n2")).isFalse();
  }

  /** Searches that could use n2 too keep coming: an overload of n2 as well. */
  @Test
  void seeTheGrowthAtNodesThatWaitingRequestsMayAlsoUse() {
    queues = queues(QueuePolicies.fixed(20));
    fill("n1", "n2");
    offer("first", "t", CHEAP, "n2");
    now += 1100 * MILLI;
    for (int i = 0; i < 80; i++) {
      QueuePosition<String> place = offer("r" + i, "t", CHEAP, "n1");
      searches().widen(place, anyOf("n1", "n2"));
    }
    for (int i = 0; i < 10; i++) {
      now += 10 * MILLI;
      answer("n2");
      decided.forEach(place -> {
        lane("n2").onCallStart();
        searches().release(place);
      });
      decided.clear();
    }
    assertThat(offer("late", "t", CHEAP, "n2").state()).isEqualTo(State.REJECTED);
  }

  @Test
  void admitARequestThatIsWidenedToANodeWithCapacity() {
    fill("n1");
    QueuePosition<String> place = offer("a", "t", CHEAP, "n1");
    QueuePosition<String> other = offer("b", "t", CHEAP, "n1");
    searches().widen(place, anyOf("n1", "n2"));
    assertThat(place.state()).isEqualTo(State.ADMITTED);
    assertThat(place.isReservedOn("n2")).isTrue();
    assertThat(other.state()).isEqualTo(State.WAITING);
    searches().widen(place, anyOf("n1", "n2", "n3"));
    searches().release(place);
    searches().release(other);
    assertThat(queues.occupiedSlots()).isEqualTo(2);
    assertThat(searches().waiting()).isZero();
  }

  @Test
  void rejectAtOnceWhenTheQueueIsFull() {
    queues = queues(QueuePolicies.fixed(2, 3, Duration.ofSeconds(10)));
    fill("n1");
    for (int i = 0; i < 3; i++) {
      assertThat(offer("a", "t", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    }
    QueuePosition<String> fourth = offer("b", "t", CHEAP, "n1");
    assertThat(fourth.state()).isEqualTo(State.REJECTED);
    assertThat(refusal(fourth).reason()).isEqualTo(QueueRejection.Reason.QUEUE_FULL);
    assertThat(refusal(fourth).message())
        .isEqualTo(
            "rejected by the gateway [queue-full]: node n1 has 2 search calls in flight (limit 2),"
                + " 3 wait already (expected: less than 3); tenant t; retry after 1 s, or"
                + " raise admission.queue.max-waiting");
    assertThat(searches().stats().rejections())
        .containsExactly(
            new AdmissionQueueStats.RejectionCount("n1", QueueRejection.Reason.QUEUE_FULL, 1));
  }

  @Test
  void rejectAfterTheWaitTimeout() {
    queues = queues(QueuePolicies.fixed(2, 10, Duration.ofMillis(300)));
    fill("n1");
    QueuePosition<String> place = offer("a", "t", CHEAP, "n1");
    now += 300 * MILLI;
    queues.tick();
    assertThat(place.state()).isEqualTo(State.WAITING);
    now += MILLI;
    queues.tick();
    assertThat(refusal(place).reason()).isEqualTo(QueueRejection.Reason.WAIT_TIMEOUT);
    assertThat(decided()).containsExactly("a");
    assertThat(searches().waiting()).isZero();
  }

  @Test
  void waitsNotPastItsOwnDeadline() {
    queues = queues(QueuePolicies.fixed(2, 10, Duration.ofSeconds(10)));
    fill("n1");
    assertThat(refusal(offer("late", "t", CHEAP, 0, "n1")).reason())
        .isEqualTo(QueueRejection.Reason.DEADLINE_BEFORE_TURN);
    QueuePosition<String> place = offer("a", "t", CHEAP, 50 * MILLI, "n1");
    now += 50 * MILLI;
    answer("n1");
    assertThat(refusal(place).reason())
        .as("room came too late")
        .isEqualTo(QueueRejection.Reason.DEADLINE_BEFORE_TURN);
    assertThat(lane("n1").reserved()).isZero();
  }

  /**
   * As many requests wait as can be admitted in the time allowed; the others are rejected at once.
   */
  @Test
  void rejectAtOnceWhenTheExpectedWaitIsTooLong() {
    learnCosts();
    fill("n1");
    int refused = 0;
    int most = 0;
    for (int millis = 0; millis < 5000; millis++) {
      now += MILLI;
      QueuePosition<String> place = offer("a" + millis, "t", CHEAP, "n1");
      refused += place.state() == State.REJECTED ? 1 : 0;
      most = Math.max(most, searches().waiting());
      if (millis % 4 == 0) {
        answer("n1");
      }
      queues.tick();
      send();
    }
    assertThat(refused).as("three of four, at once").isBetween(3500, 3800);
    assertThat(most).as("a second of what goes at first, then 160 ms").isBetween(30, 300);
    assertThat(decided.stream().filter(place -> place.rejection() != null).count()).isLessThan(300);
  }

  @Test
  void removeARequestWhoseClientLeft() {
    fill("n1");
    QueuePosition<String> place = offer("a", "t", CHEAP, "n1");
    searches().release(place);
    answer("n1");
    assertThat(decided).isEmpty();
    assertThat(searches().waiting()).isZero();
    assertThat(searches().waitingByTenant(10)).isEmpty();
  }

  @Test
  void classesDoNotWaitForEachOther() {
    fill("n1");
    offer("a", "t", CHEAP, "n1");
    QueuePosition<String> write =
        queues
            .queueFor(NodeThreadPool.WRITE)
            .offer(
                "w",
                new QueuedRequest(
                    NodeDemand.of(List.of(List.of("n1"))), "t", CHEAP, Long.MAX_VALUE));
    assertThat(write.state()).isEqualTo(State.ADMITTED);
  }

  @Test
  void letsAllInWhenItIsSwitchedOff() {
    fill("n1");
    offer("a", "t", CHEAP, "n1");
    queues.updatePolicy(QueuePolicies.off());
    assertThat(decided()).containsExactly("a");
    assertThat(offer("b", "t", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    decided.forEach(searches()::release);
  }

  @Test
  void keepLearnedLimitsAcrossAReload() {
    queues = queues(QueuePolicy.defaults());
    queues.setThreads("n1", NodeThreadPool.SEARCH, 4);
    for (int i = 0; i < 3; i++) {
      lane("n1").onRejection(lane("n1").onCallStart());
    }
    double learned = lane("n1").limit();
    assertThat(learned).isLessThan(8);
    queues.updatePolicy(QueuePolicy.defaults());
    assertThat(lane("n1").limit()).isEqualTo(learned);
    queues.updatePolicy(QueuePolicies.little(Duration.ofMillis(50), 1, 100));
    assertThat(lane("n1").limit()).isEqualTo(learned);
    queues.updatePolicy(QueuePolicy.defaults());
    assertThat(lane("n1").limit()).isEqualTo(learned);
  }

  @Test
  void doNotCountInternalRequests() {
    queues = queues(QueuePolicies.fixed(1));
    fill("n1");
    QueuedRequest asking =
        new QueuedRequest(
            NodeDemand.of(List.of(List.of("n1"))), "t", CHEAP, Long.MAX_VALUE, false, "internal");
    QueuePosition<String> let = searches().offer("let", asking);
    now += MILLI;
    answer("n1");
    assertThat(let.state()).isEqualTo(State.ADMITTED);
    assertThat(searches().stats().waited()).isZero();
    searches().release(let);
    fill("n1");
    QueuePosition<String> late =
        searches()
            .offer(
                "late",
                new QueuedRequest(asking.demand(), "t", CHEAP, 0, asking.fromClient(), "late"));
    assertThat(late.state()).isEqualTo(State.REJECTED);
    assertThat(searches().stats().rejections()).isEmpty();
    assertThat(searches().stats().lastRejection()).isEmpty();
    QueuePosition<String> clients = offer("client", "t", CHEAP, "n1");
    answer("n1");
    assertThat(clients.state()).isEqualTo(State.ADMITTED);
    assertThat(searches().stats().waited()).isEqualTo(1);
  }

  /** Forty people in front of slow dashboards: each waits for its response. */
  @Test
  void letClientsThatTakeTurnsWaitForSeconds() {
    queues = queues(QueuePolicies.fixed(2));
    fill("n1");
    for (int i = 0; i < 200; i++) {
      for (int arriving = i == 0 ? 40 : 1; arriving > 0; arriving--) {
        assertThat(offer("client", "t", CHEAP, "n1").state()).isNotEqualTo(State.REJECTED);
      }
      decided.clear();
      for (int tick = 0; tick < 10; tick++) {
        now += 10 * MILLI;
        queues.tick();
      }
      assertThat(decided).as("rejected while they waited").isEmpty();
      lane("n1").onResponse(CHEAP, 1, now - 200 * MILLI, true);
      send();
    }
  }

  /** A stuck node's queue does not reject requests that wait briefly for another node. */
  @Test
  void judgeARequestByItsSlowestNode() {
    learnCosts();
    fill("n1", "slow");
    int refused = 0;
    int waited = 0;
    for (int millis = 0; millis < 3000; millis++) {
      now += MILLI;
      if (millis % 5 == 0) {
        QueuePosition<String> both = offer("both", "t", CHEAP, "n1", "slow");
        refused += both.state() == State.REJECTED ? 1 : 0;
      }
      if (millis % 50 == 0) {
        answer("slow");
      }
      if (millis % 2 == 0 && lane("n1").inFlight() > 0) {
        answer("n1");
      }
      QueuePosition<String> one = offer("one", "t", CHEAP, "n1");
      assertThat(one.state()).isNotEqualTo(State.REJECTED);
      waited += one.state() == State.WAITING ? 1 : 0;
      if (one.state() == State.ADMITTED) {
        lane("n1").onCallStart();
      }
      searches().release(one);
      for (QueuePosition<String> place : decided) {
        if (place.state() == State.ADMITTED) {
          lane("n1").onCallStart();
          lane("slow").onCallStart();
          searches().release(place);
        }
      }
      decided.clear();
      queues.tick();
    }
    assertThat(refused).as("of those that need the slow one").isGreaterThan(100);
    assertThat(waited).as("of those that do not").isGreaterThan(1000);
  }

  @Test
  void tellsHowManyWaitOfEachTenant() {
    fill("n1");
    offer("a", "t", CHEAP, "n1");
    offer("b", "t", CHEAP, "n1");
    offer("c", "u", CHEAP, "n1");
    assertThat(searches().waitingByTenant(10)).isEqualTo(Map.of("t", 2, "u", 1));
    assertThat(searches().waitingByTenant(1)).hasSize(1);
  }
}
