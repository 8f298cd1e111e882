package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.QueuePosition.State;
import dev.weir.config.policy.QueuePolicy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What tenants get beside each other. */
class TenantFairnessTest extends AdmissionQueueFixture {
  /**
   * Offers twice as many requests as a slow node answers, for eight seconds.
   *
   * @param parts how many of them belong to one request of a client
   */
  private void overload(String tenant, int parts) {
    queues = queues(QueuePolicies.fixed(20));
    fill("n1");
    for (int i = 0; i < 320; i++) {
      QueuedRequest part =
          new QueuedRequest(
              NodeDemand.of(List.of(List.of("n1"))),
              tenant,
              CHEAP,
              Long.MAX_VALUE,
              true,
              tenant + i / parts);
      searches().offer(tenant, part);
      if (i % 2 == 0 && i < 310) { // the last ones come at once
        now += 50 * MILLI;
        lane("n1").onResponse(CHEAP, 2, now - 1000 * MILLI, true);
        send();
      }
    }
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
    assertThat(decided()).contains("one");
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
    assertThat(decided().stream().filter("gold"::equals).count()).isBetween(14L, 16L);
  }

  @Test
  void countATenantsSlowCallsForWhatTheyTook() {
    learnCosts();
    fill("n1");
    for (int i = 0; i < 30; i++) {
      offer("slow", "slow", CHEAP, "n1");
      offer("quick", "quick", CHEAP, "n1");
    }
    for (int i = 0; i < 10; i++) {
      searches().recordCallCost("slow", CHEAP, 20.0 * MILLI);
      searches().recordCallCost("quick", CHEAP, 2.0 * MILLI);
    }
    for (int i = 0; i < 23; i++) {
      answer("n1");
      send();
    }
    // a slow call takes ten times as long, so for each of them ten quick ones go
    assertThat(decided().stream().filter("slow"::equals).count()).isBetween(2L, 3L);
  }

  /** Many calls of a tenant may take long: another's calls must not wait for one of them to end. */
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
    QueuePosition<String> one = offer("one", "neighbour", CHEAP, "n1");
    assertThat(one.state()).isEqualTo(State.ADMITTED);
    searches().release(one);
    slots.onCallEnd("neighbour");
    now += 3000 * MILLI;
    searches().tick();
    assertThat(last.state()).as("nobody else has searched for long").isEqualTo(State.ADMITTED);
  }

  @Test
  void rejectMoreOfATenantWhoseBacklogGrows() {
    overload("many", 1);
    assertThat(offer("late", "many", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
  }

  /** Twelve panels of a dashboard arrive as one request, and wait as one. */
  @Test
  void countPartsOfOneRequestOnce() {
    overload("many", 1000);
    assertThat(searches().waiting()).isGreaterThan(50);
    assertThat(offer("late", "many", CHEAP, "n1").state()).isEqualTo(State.WAITING);
  }

  /** Dashboards that are refreshed together, each by one request of twelve parts. */
  @Test
  void countPartsOfManyClientsOnce() {
    queues = queues(QueuePolicies.fixed(20));
    fill("n1");
    NodeDemand demand = NodeDemand.of(List.of(List.of("n1")));
    QueuedRequest first = new QueuedRequest(demand, "t", CHEAP, Long.MAX_VALUE, true, "first");
    for (int i = 0; i < 110; i++) {
      searches().offer("part", first);
      searches().offer("part", first);
      now += 10 * MILLI;
      lane("n1").onResponse(CHEAP, 2, now - 100 * MILLI, true);
      send();
    }
    for (int i = 0; i < 20 * 12; i++) {
      searches()
          .offer(
              "part",
              new QueuedRequest(demand, "t", CHEAP, Long.MAX_VALUE, true, "dashboard" + i / 12));
    }
    assertThat(searches().waiting()).isGreaterThan(240);
    assertThat(offer("late", "t", CHEAP, "n1").state()).isEqualTo(State.WAITING);
  }

  /** A client chooses how many searches of an {@code _msearch} run at once. */
  @Test
  void leaveRoomBesideOneRequestOfManyParts() {
    overload("many", 1000);
    NodeDemand demand = NodeDemand.of(List.of(List.of("n1")));
    for (int i = 0; i < 2000; i++) {
      searches().offer("part", new QueuedRequest(demand, "t", CHEAP, Long.MAX_VALUE, true, "one"));
    }
    assertThat(searches().waiting()).as("half of the queue").isBetween(500, 501);
    assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
  }

  /** Others make the backlog grow: no reason to reject the few requests of a tenant. */
  @Test
  void letATenantWithFewRequestsWaitBesideABusyOne() {
    overload("many", 1);
    assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    now += 900 * MILLI;
    searches().tick();
    assertThat(searches().waitingByTenant(10)).containsEntry("neighbour", 1);
  }

  @Test
  void doNotBlameATenantForTheGrowthOfAnother() {
    overload("many", 1);
    for (int i = 0; i < 40; i++) {
      assertThat(offer("neighbour", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    }
  }

  /** A neighbour's requests wait behind a busy tenant's calls that take long. */
  @Test
  void letATenantWaitThatIsBelowItsShare() {
    overload("neighbour", 1);
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
    for (int i = 0; i < 20; i++) {
      lane("n1").heldSlots().onCallStart("many", now);
    }
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    for (int i = 0; i < 10; i++) {
      lane("n1").heldSlots().onCallEnd("many");
      lane("n1").heldSlots().onCallStart("neighbour", now);
    }
    assertThat(offer("late", "neighbour", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
  }

  /** A call of a tenant that a node works on. */
  private record Running(String tenant, long began) {}

  /**
   * Keeps requests of each tenant waiting for four seconds, with calls of 10 ms and an automatic
   * limit.
   *
   * @return the calls of each tenant
   */
  private Map<String, Integer> saturate(int threads, String... tenants) {
    queues = queues(QueuePolicy.defaults());
    queues.setThreads("n1", NodeThreadPool.SEARCH, threads);
    NodeConcurrencyLimiter node = lane("n1");
    Map<String, Integer> calls = new HashMap<>();
    Map<String, Integer> waiting = new HashMap<>();
    Deque<Running> running = new ArrayDeque<>();
    for (int millis = 0; millis < 4000; millis++) {
      now += MILLI;
      while (!running.isEmpty() && now - running.element().began() >= 10 * MILLI) {
        Running ended = running.remove();
        node.heldSlots().onCallEnd(ended.tenant());
        searches().recordCallCost(ended.tenant(), CHEAP, 10.0 * MILLI);
        node.onResponse(CHEAP, Math.max(0, node.inFlight() - threads), ended.began(), true);
      }
      for (String tenant : tenants) {
        while (waiting.getOrDefault(tenant, 0) < 20) {
          QueuePosition<String> place = offer(tenant, tenant, CHEAP, "n1");
          waiting.merge(tenant, 1, Integer::sum);
          if (place.state() != State.WAITING) {
            decided.add(place);
          }
        }
      }
      queues.tick();
      for (QueuePosition<String> place : List.copyOf(decided)) {
        assertThat(place.state()).isEqualTo(State.ADMITTED);
        String tenant = place.request();
        waiting.merge(tenant, -1, Integer::sum);
        calls.merge(tenant, millis > 500 ? 1 : 0, Integer::sum);
        node.heldSlots().onCallStart(tenant, now);
        running.add(new Running(tenant, node.onCallStart()));
        searches().release(place);
      }
      decided.clear();
      assertThat(node.heldSlots().total()).isEqualTo(running.size());
      assertThat(running.size()).isLessThanOrEqualTo(millis < 500 ? 2 * threads : threads);
    }
    return calls;
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 13})
  void shareThreadsByWeights(int threads) {
    weights.put("gold", 4.0);
    Map<String, Integer> calls = saturate(threads, "gold", "silver");
    assertThat((double) calls.getOrDefault("gold", 0) / calls.getOrDefault("silver", 0))
        .isBetween(3.6, 4.4);
  }

  @Test
  void shareThreadsEquallyAmongThree() {
    assertThat(saturate(8, "one", "other", "third").values())
        .allSatisfy(calls -> assertThat(calls).isBetween(890, 980));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 3", "8, 6", "13, 9"})
  void leaveThreadsToOthersWithAnyNumber(int threads, int most) {
    queues = queues(QueuePolicies.fixed(20));
    queues.setThreads("n1", NodeThreadPool.SEARCH, threads);
    lane("n1").heldSlots().onCallStart("other", now);
    lane("n1").heldSlots().onCallEnd("other");
    for (int i = 0; i < most; i++) {
      assertThat(offer("many", "many", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    }
    assertThat(offer("many", "many", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    if (threads > 1) {
      assertThat(offer("other", "other", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    }
  }

  @Test
  void countEveryCallOfARequest() {
    queues = queues(QueuePolicies.fixed(20));
    queues.setThreads("n1", NodeThreadPool.SEARCH, 8);
    lane("n1").heldSlots().onCallStart("other", now);
    QueuePosition<String> first = offer("a", "many", CHEAP, "n1", "n1", "n1", "n1");
    assertThat(first.state()).isEqualTo(State.ADMITTED);
    QueuePosition<String> four = offer("b", "many", CHEAP, "n1", "n1", "n1", "n1");
    assertThat(four.state()).as("eight calls of at most six").isEqualTo(State.WAITING);
    searches().release(first);
    assertThat(four.state()).isEqualTo(State.ADMITTED);
    searches().release(four);
    String[] nine = new String[9];
    Arrays.fill(nine, "n1");
    assertThat(offer("c", "many", CHEAP, nine).state())
        .as("the only request of its tenant")
        .isEqualTo(State.ADMITTED);
  }

  /** Its tenant always has a call on the node. */
  @Test
  void letAWideSearchGoBesideNarrowOnesOfItsTenant() {
    queues = queues(QueuePolicies.fixed(20));
    queues.setThreads("n1", NodeThreadPool.SEARCH, 8);
    lane("n1").heldSlots().onCallStart("other", now);
    Deque<QueuePosition<String>> running = new ArrayDeque<>();
    for (int i = 0; i < 6; i++) {
      running.add(offer("narrow", "app", CHEAP, "n1"));
    }
    String[] thirty = new String[30];
    Arrays.fill(thirty, "n1");
    QueuePosition<String> wide = offer("wide", "app", CHEAP, thirty);
    assertThat(wide.state()).isEqualTo(State.WAITING);
    for (int i = 0; i < 100 && wide.state() == State.WAITING; i++) {
      now += 20 * MILLI;
      QueuePosition<String> next = offer("narrow", "app", CHEAP, "n1");
      searches().release(running.remove());
      running.add(next);
    }
    assertThat(wide.state()).isEqualTo(State.ADMITTED);
  }

  @Test
  void reserveOnNodesThatHaveCapacityForTheTenant() {
    queues = queues(QueuePolicies.fixed(20));
    for (String node : List.of("n1", "n2")) {
      queues.setThreads(node, NodeThreadPool.SEARCH, 8);
      lane(node).heldSlots().onCallStart("other", now);
    }
    for (int i = 0; i < 6; i++) { // no call of the tenant, and few free slots
      lane("n1").onCallStart();
    }
    for (int i = 0; i < 3; i++) { // more free slots, and not enough for six calls
      assertThat(offer("a" + i, "many", CHEAP, "n2").state()).isEqualTo(State.ADMITTED);
    }
    String[] six = new String[6];
    Arrays.fill(six, "n1,n2");
    assertThat(offer("wide", "many", CHEAP, six).state()).isEqualTo(State.ADMITTED);
    assertThat(lane("n1").reserved()).isEqualTo(6);
    assertThat(lane("n2").reserved()).isEqualTo(3);
  }

  @Test
  void nameTheLimitOfTheTenantThatIsReached() {
    queues = queues(QueuePolicies.fixed(20));
    queues.setThreads("n1", NodeThreadPool.SEARCH, 8);
    lane("n1").heldSlots().onCallStart("other", now);
    for (int i = 0; i < 6; i++) {
      assertThat(offer("many", "many", CHEAP, "n1").state()).isEqualTo(State.ADMITTED);
    }
    QueuePosition<String> late = offer("late", "many", CHEAP, 1, "n1");
    assertThat(late.state()).isEqualTo(State.REJECTED);
    assertThat(refusal(late).message())
        .contains("node n1 has 6 search calls of this tenant in flight (limit 6)");
  }

  /** A share of less than one call is no share that others have taken. */
  @Test
  void rejectMoreWhenThereAreMoreTenantsThanSlots() {
    overload("many", 1);
    for (int i = 0; i < 30; i++) {
      assertThat(offer("one", "t" + i, CHEAP, "n1").state()).isEqualTo(State.WAITING);
      if (i < 20) {
        lane("n1").heldSlots().onCallStart("t" + i, now);
      }
    }
    assertThat(offer("late", "many", CHEAP, "n1").state()).isEqualTo(State.REJECTED);
  }

  /** The node admits a request every 10 ms, but one of the slow tenant in 400 ms. */
  @Test
  void expectTheWaitOfASlowTenantByItsOwnRate() {
    queues = queues(QueuePolicies.fixed(20));
    fill("n1");
    for (int i = 0; i < 35; i++) {
      offer("slow", "slow", CHEAP, "n1");
    }
    for (int i = 0; i < 100; i++) {
      searches().recordCallCost("slow", CHEAP, 800.0 * MILLI);
    }
    for (int i = 0; i < 600; i++) {
      offer("quick", "quick", CHEAP, "n1");
      now += 10 * MILLI;
      answer("n1");
      send();
      decided.clear();
    }
    assertThat(searches().waitingByTenant(10).get("slow")).isBetween(15, 27);
    assertThat(offer("late", "quick", CHEAP, "n1").state()).isEqualTo(State.WAITING);
    QueuePosition<String> late = offer("late", "slow", CHEAP, "n1");
    assertThat(late.state()).isEqualTo(State.REJECTED);
    assertThat(refusal(late).reason()).isEqualTo(QueueRejection.Reason.EXPECTED_WAIT_TOO_LONG);
  }
}
