package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.QueuePosition.State;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AdmissionQueueTest {
  private static final long MILLI = 1_000_000;
  private static final int CHEAP = 0;
  private static final int HEAVY = 1;

  private final List<QueuePosition<String>> told = new ArrayList<>();
  private long now = 1_000_000 * MILLI;
  private AdmissionQueues<String> queues = queues(QueuePolicies.fixed(2));

  private AdmissionQueues<String> queues(QueuePolicy policy) {
    return new AdmissionQueues<>(
        policy, () -> now, tenant -> tenant.equals("gold") ? 3 : 1, told::add);
  }

  private AdmissionQueue<String> searches() {
    return queues.queueFor(NodeThreadPool.SEARCH);
  }

  private NodeConcurrencyLimiter lane(String node) {
    return queues.limiters().limiter(node, NodeThreadPool.SEARCH);
  }

  private void fill(String... nodes) {
    for (String node : nodes) {
      while (lane(node).hasCapacity()) {
        lane(node).onCallStart();
      }
    }
  }

  private void answer(String node) {
    lane(node).onResponse(CHEAP, 2, now - MILLI, true);
  }

  private QueuePosition<String> offer(
      String request, String tenant, int costClass, String... calls) {
    return offer(request, tenant, costClass, Long.MAX_VALUE, calls);
  }

  private QueuePosition<String> offer(
      String request, String tenant, int costClass, long deadline, String... calls) {
    List<List<String>> nodes = new ArrayList<>();
    for (String call : calls) {
      nodes.add(List.of(call.split(",")));
    }
    return searches()
        .offer(request, new QueuedRequest(NodeDemand.of(nodes), tenant, costClass, deadline));
  }

  /** An admitted request sends its calls. */
  private void send() {
    for (QueuePosition<String> place : List.copyOf(told)) {
      if (place.state() == State.ADMITTED) {
        lane("n1").onCallStart();
        searches().release(place);
      }
    }
  }

  private List<String> told() {
    return told.stream().map(QueuePosition::request).toList();
  }

  private void learnCosts() {
    for (int i = 0; i < 50; i++) {
      for (int cost : new int[] {CHEAP, HEAVY}) {
        NodeConcurrencyLimiter lane = lane("idle");
        lane.onCallStart();
        lane.onResponse(cost, 0, now - (cost == CHEAP ? 2 : 80) * MILLI, true);
      }
    }
  }

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
    assertThat(told()).containsExactly("a");
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
    assertThat(told().getFirst()).isEqualTo("cheap0");
    assertThat(told()).contains("heavy");
  }

  @Test
  void doNotDelayOtherTenantsBehindABusyOne() {
    fill("n1");
    for (int i = 0; i < 30; i++) {
      offer("many" + i, "many", CHEAP, "n1");
    }
    offer("one", "few", CHEAP, "n1");
    answer("n1");
    send();
    answer("n1");
    assertThat(told()).contains("one");
  }

  @Test
  void tenantsGetOnByTheirWeights() {
    fill("n1");
    for (int i = 0; i < 30; i++) {
      offer("silver", "silver", CHEAP, "n1");
      offer("gold", "gold", CHEAP, "n1");
    }
    for (int i = 0; i < 20; i++) {
      answer("n1");
      send();
    }
    assertThat(told().stream().filter("gold"::equals).count()).isBetween(14L, 16L);
  }

  @Test
  void countATenantsSlowCallsForWhatTheyTook() {
    learnCosts();
    fill("n1");
    for (int i = 0; i < 30; i++) {
      offer("slow", "slow", CHEAP, "n1");
      offer("quick", "quick", CHEAP, "n1");
    }
    for (int i = 0; i < 3; i++) {
      searches().recordCallCost("slow", CHEAP, 20.0 * MILLI);
      searches().recordCallCost("quick", CHEAP, 2.0 * MILLI);
    }
    for (int i = 0; i < 23; i++) {
      answer("n1");
      send();
    }
    // a slow call takes ten times as long, so for each of them ten quick ones go
    assertThat(told().stream().filter("slow"::equals).count()).isBetween(2L, 3L);
  }

  /** A crowd's calls may take long: another client's calls must not wait for one of them to end. */
  @Test
  void leaveThreadsToOtherTenants() {
    queues = queues(QueuePolicies.fixed(20));
    queues.setThreads("n1", NodeThreadPool.SEARCH, 8);
    HeldSlots slots = lane("n1").heldSlots();
    slots.onCallStart("neighbour", now);
    for (int i = 0; i < 6; i++) {
      assertThat(offer("many" + i, "many", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    }
    QueuePosition<String> last = offer("last", "many", CHEAP, "n1");
    assertThat(last.state()).as("beyond three quarters of the threads").isEqualTo(State.WAITING);
    assertThat(offer("one", "neighbour", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    slots.onCallEnd("neighbour");
    slots.onCallEnd("neighbour");
    now += 3000 * MILLI;
    searches().tick();
    assertThat(last.state()).as("nobody else has searched for long").isEqualTo(State.ADMITTED);
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
    assertThat(told()).containsExactly("a");
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
    assertThat(told.stream().filter(place -> place.rejection() != null).count()).isLessThan(300);
  }

  @Test
  void removeARequestWhoseClientLeft() {
    fill("n1");
    QueuePosition<String> place = offer("a", "t", CHEAP, "n1");
    searches().release(place);
    answer("n1");
    assertThat(told).isEmpty();
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
    assertThat(told()).containsExactly("a");
    assertThat(offer("b", "t", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    told.forEach(searches()::release);
  }

  @Test
  void keepLearnedLimitsAcrossAReload() {
    queues = queues(QueuePolicy.defaults());
    queues.setThreads("n1", NodeThreadPool.SEARCH, 4);
    for (int i = 0; i < 3; i++) {
      lane("n1").onCallStart();
      lane("n1").onRejection();
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

  /**
   * Offers twice as many requests as a slow node answers, for four seconds.
   *
   * @param parts how many of them belong to one request of a client
   */
  private void overload(String tenant, int parts) {
    queues = queues(QueuePolicies.fixed(20));
    fill("n1");
    for (int i = 0; i < 160; i++) {
      QueuedRequest part =
          new QueuedRequest(
              NodeDemand.of(List.of(List.of("n1"))),
              tenant,
              CHEAP,
              Long.MAX_VALUE,
              true,
              tenant + i / parts);
      searches().offer(tenant, part);
      if (i % 2 == 0 && i < 150) { // the last ones come at once
        now += 50 * MILLI;
        lane("n1").onResponse(CHEAP, 2, now - 1000 * MILLI, true);
        send();
      }
    }
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
      told.clear();
      for (int tick = 0; tick < 10; tick++) {
        now += 10 * MILLI;
        queues.tick();
      }
      assertThat(told).as("rejected while they waited").isEmpty();
      lane("n1").onResponse(CHEAP, 1, now - 200 * MILLI, true);
      send();
    }
  }

  @Test
  void rejectMoreOfACrowdThatGrows() {
    overload("crowd", 1);
    assertThat(offer("late", "crowd", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
  }

  /** Twelve panels of a dashboard arrive as one request, and wait as one. */
  @Test
  void countPartsOfOneRequestOnce() {
    overload("crowd", 1000);
    assertThat(searches().waiting()).isGreaterThan(50);
    assertThat(offer("late", "crowd", CHEAP, "n1").state()).isEqualTo(State.WAITING);
  }

  /** A client chooses how many searches of an {@code _msearch} run at once. */
  @Test
  void leaveRoomBesideOneRequestOfManyParts() {
    overload("crowd", 1000);
    NodeDemand demand = NodeDemand.of(List.of(List.of("n1")));
    for (int i = 0; i < 2000; i++) {
      searches().offer("part", new QueuedRequest(demand, "t", CHEAP, Long.MAX_VALUE, true, "one"));
    }
    assertThat(searches().waiting()).as("half of the queue").isBetween(500, 501);
    assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
  }

  /** Others make the backlog grow: no reason to reject the few requests of a tenant. */
  @Test
  void letATenantWithFewRequestsWaitBesideACrowd() {
    overload("crowd", 1);
    assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    now += 900 * MILLI;
    searches().tick();
    assertThat(searches().waitingByTenant(10)).containsEntry("neighbour", 1);
  }

  /** A stuck node's queue does not reject requests that wait briefly for another node. */
  @Test
  void doNotBlameATenantForTheGrowthOfAnother() {
    overload("crowd", 1);
    for (int i = 0; i < 40; i++) {
      assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    }
  }

  /** A neighbour's requests pile up behind calls of a crowd that take long. */
  @Test
  void letATenantWaitThatOthersHoldUp() {
    overload("neighbour", 1);
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
    for (int i = 0; i < 20; i++) {
      lane("n1").heldSlots().onCallStart("crowd", now);
    }
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    for (int i = 0; i < 10; i++) {
      lane("n1").heldSlots().onCallEnd("crowd");
      lane("n1").heldSlots().onCallStart("neighbour", now);
    }
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
  }

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
      for (QueuePosition<String> place : told) {
        if (place.state() == State.ADMITTED) {
          lane("n1").onCallStart();
          lane("slow").onCallStart();
          searches().release(place);
        }
      }
      told.clear();
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

  private static QueueRejection refusal(QueuePosition<String> place) {
    return Objects.requireNonNull(place.rejection());
  }
}
