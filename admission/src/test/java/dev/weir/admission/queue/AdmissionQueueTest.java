package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.Place.Stand;
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

  private final List<Place<String>> told = new ArrayList<>();
  private long now = 1_000_000 * MILLI;
  private AdmissionQueues<String> queues = queues(Policies.fixed(2));

  private AdmissionQueues<String> queues(QueuePolicy policy) {
    return new AdmissionQueues<>(
        policy, () -> now, tenant -> tenant.equals("gold") ? 3 : 1, told::add);
  }

  private AdmissionQueue<String> searches() {
    return queues.of(WorkClass.SEARCH);
  }

  private NodeLane lane(String node) {
    return queues.lanes().lane(node, WorkClass.SEARCH);
  }

  private void fill(String... nodes) {
    for (String node : nodes) {
      while (lane(node).hasRoom()) {
        lane(node).began();
      }
    }
  }

  private void answer(String node) {
    lane(node).answered(CHEAP, 2, now - MILLI, true);
  }

  private Place<String> offer(String request, String tenant, int costClass, String... calls) {
    return offer(request, tenant, costClass, Long.MAX_VALUE, calls);
  }

  private Place<String> offer(
      String request, String tenant, int costClass, long deadline, String... calls) {
    List<List<String>> nodes = new ArrayList<>();
    for (String call : calls) {
      nodes.add(List.of(call.split(",")));
    }
    return searches()
        .offer(request, new AdmissionQueue.Asking(Demand.of(nodes), tenant, costClass, deadline));
  }

  /** What was let in sends its calls. */
  private void send() {
    for (Place<String> place : List.copyOf(told)) {
      if (place.stand() == Stand.IN) {
        lane("n1").began();
        searches().leave(place);
      }
    }
  }

  private List<String> told() {
    return told.stream().map(Place::request).toList();
  }

  private void learnCosts() {
    for (int i = 0; i < 50; i++) {
      for (int cost : new int[] {CHEAP, HEAVY}) {
        NodeLane lane = lane("idle");
        lane.began();
        lane.answered(cost, 0, now - (cost == CHEAP ? 2 : 80) * MILLI, true);
      }
    }
  }

  @Test
  void letsInWhatHasRoomAndKeepsItUntilItsCallsAreSent() {
    Place<String> first = offer("a", "t", CHEAP, "n1,n2", "n2,n3");
    assertThat(first.stand()).isEqualTo(Stand.IN);
    assertThat(queues.occupied()).isEqualTo(2);
    searches().leave(first);
    searches().leave(first);
    assertThat(queues.occupied()).isZero();
  }

  @Test
  void waitsUntilEveryCallHasANodeWithRoom() {
    fill("n1", "n2");
    Place<String> whole = offer("a", "t", CHEAP, "n1", "n2", "n3");
    assertThat(whole.stand()).isEqualTo(Stand.WAITING);
    assertThat(lane("n3").promised()).as("what waits holds nothing").isZero();
    answer("n1");
    assertThat(whole.stand()).isEqualTo(Stand.WAITING);
    answer("n2");
    assertThat(whole.stand()).isEqualTo(Stand.IN);
    assertThat(told()).containsExactly("a");
    assertThat(lane("n3").promised()).isEqualTo(1);
  }

  @Test
  void goesWhereAnotherCopyHasRoom() {
    fill("n1");
    assertThat(offer("a", "t", CHEAP, "n1,n2").stand()).isEqualTo(Stand.IN);
    assertThat(lane("n2").promised()).isEqualTo(1);
  }

  @Test
  void doesNotWaitBehindWhatNeedsASlowNode() {
    fill("slow", "n1");
    Place<String> stuck = offer("stuck", "t", CHEAP, "slow");
    Place<String> other = offer("other", "t", CHEAP, "n1");
    answer("n1");
    assertThat(other.stand()).isEqualTo(Stand.IN);
    assertThat(stuck.stand()).isEqualTo(Stand.WAITING);
    assertThat(offer("third", "t", CHEAP, "n2").stand()).isEqualTo(Stand.IN);
  }

  @Test
  void whatNeedsManyNodesIsNotPassedForEver() {
    fill("n1", "n2", "n3");
    Place<String> wide = offer("wide", "t", CHEAP, "n1", "n2", "n3");
    for (int i = 0; i < 10 && wide.stand() == Stand.WAITING; i++) {
      now += 5 * MILLI;
      offer("narrow", "t", CHEAP, "n1");
      answer("n1");
      fill("n1", "n2", "n3");
    }
    assertThat(wide.stand()).isEqualTo(Stand.IN);
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
  void aTenantWithMuchToDoDoesNotKeepAnotherWaiting() {
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
  void refusesAtOnceWhatDoesNotFit() {
    queues = queues(Policies.fixed(2, 3, Duration.ofSeconds(10)));
    fill("n1");
    for (int i = 0; i < 3; i++) {
      assertThat(offer("a", "t", CHEAP, "n1").stand()).isEqualTo(Stand.WAITING);
    }
    Place<String> fourth = offer("b", "t", CHEAP, "n1");
    assertThat(fourth.stand()).isEqualTo(Stand.REFUSED);
    assertThat(refusal(fourth).reason()).isEqualTo(QueueRefusal.Reason.QUEUE_FULL);
    assertThat(refusal(fourth).message())
        .isEqualTo(
            "rejected by the gateway [queue-full]: node n1 has 2 search calls in flight (limit 2),"
                + " 3 wait already (expected: less than 3); tenant t; come again after 1 s, or"
                + " raise admission.queue.waiting");
    assertThat(searches().tally().refusals())
        .containsExactly(new Tally.Refused("n1", QueueRefusal.Reason.QUEUE_FULL, 1));
  }

  @Test
  void refusesWhatHasWaitedForTooLong() {
    queues = queues(Policies.fixed(2, 10, Duration.ofMillis(300)));
    fill("n1");
    Place<String> place = offer("a", "t", CHEAP, "n1");
    now += 300 * MILLI;
    queues.tick();
    assertThat(place.stand()).isEqualTo(Stand.WAITING);
    now += MILLI;
    queues.tick();
    assertThat(refusal(place).reason()).isEqualTo(QueueRefusal.Reason.WAITED);
    assertThat(told()).containsExactly("a");
    assertThat(searches().waiting()).isZero();
  }

  @Test
  void waitsNotPastItsOwnDeadline() {
    queues = queues(Policies.fixed(2, 10, Duration.ofSeconds(10)));
    fill("n1");
    assertThat(refusal(offer("late", "t", CHEAP, 0, "n1")).reason())
        .isEqualTo(QueueRefusal.Reason.DEADLINE);
    Place<String> place = offer("a", "t", CHEAP, 50 * MILLI, "n1");
    now += 50 * MILLI;
    answer("n1");
    assertThat(refusal(place).reason())
        .as("room came too late")
        .isEqualTo(QueueRefusal.Reason.DEADLINE);
    assertThat(lane("n1").promised()).isZero();
  }

  /** As many wait as go in the time allowed, and the rest hears of it at once. */
  @Test
  void refusesAtOnceWhatWouldWaitForTooLong() {
    learnCosts();
    fill("n1");
    int refused = 0;
    int most = 0;
    for (int millis = 0; millis < 5000; millis++) {
      now += MILLI;
      Place<String> place = offer("a" + millis, "t", CHEAP, "n1");
      refused += place.stand() == Stand.REFUSED ? 1 : 0;
      most = Math.max(most, searches().waiting());
      if (millis % 4 == 0) {
        answer("n1");
      }
      queues.tick();
      send();
    }
    assertThat(refused).as("three of four, at once").isBetween(3500, 3800);
    assertThat(most).as("a second of what goes at first, then 160 ms").isBetween(30, 300);
    assertThat(told.stream().filter(place -> place.refusal() != null).count()).isLessThan(300);
  }

  @Test
  void leavesWhenNobodyWaitsForIt() {
    fill("n1");
    Place<String> place = offer("a", "t", CHEAP, "n1");
    searches().leave(place);
    answer("n1");
    assertThat(told).isEmpty();
    assertThat(searches().waiting()).isZero();
    assertThat(searches().waitingByTenant(10)).isEmpty();
  }

  @Test
  void classesDoNotWaitForEachOther() {
    fill("n1");
    offer("a", "t", CHEAP, "n1");
    Place<String> write =
        queues
            .of(WorkClass.WRITE)
            .offer(
                "w",
                new AdmissionQueue.Asking(
                    Demand.of(List.of(List.of("n1"))), "t", CHEAP, Long.MAX_VALUE));
    assertThat(write.stand()).isEqualTo(Stand.IN);
  }

  @Test
  void letsAllInWhenItIsSwitchedOff() {
    fill("n1");
    offer("a", "t", CHEAP, "n1");
    queues.use(Policies.off());
    assertThat(told()).containsExactly("a");
    assertThat(offer("b", "t", CHEAP, "n1").stand()).isEqualTo(Stand.IN);
    told.forEach(searches()::leave);
  }

  @Test
  void aReloadForgetsNoLimit() {
    queues = queues(QueuePolicy.standard());
    queues.threads("n1", WorkClass.SEARCH, 4);
    for (int i = 0; i < 3; i++) {
      lane("n1").began();
      lane("n1").refused();
    }
    double learned = lane("n1").limit();
    assertThat(learned).isLessThan(8);
    queues.use(QueuePolicy.standard());
    assertThat(lane("n1").limit()).isEqualTo(learned);
    queues.use(Policies.little(Duration.ofMillis(50), 1, 100));
    assertThat(lane("n1").limit()).isEqualTo(learned);
    queues.use(QueuePolicy.standard());
    assertThat(lane("n1").limit()).isEqualTo(learned);
  }

  @Test
  void whatIsNoClientsIsNotCounted() {
    queues = queues(Policies.fixed(1));
    fill("n1");
    AdmissionQueue.Asking asking =
        new AdmissionQueue.Asking(
            Demand.of(List.of(List.of("n1"))), "t", CHEAP, Long.MAX_VALUE, false);
    Place<String> let = searches().offer("let", asking);
    now += MILLI;
    answer("n1");
    assertThat(let.stand()).isEqualTo(Stand.IN);
    assertThat(searches().tally().waited()).isZero();
    searches().leave(let);
    fill("n1");
    Place<String> late =
        searches()
            .offer(
                "late",
                new AdmissionQueue.Asking(asking.demand(), "t", CHEAP, 0, asking.counted()));
    assertThat(late.stand()).isEqualTo(Stand.REFUSED);
    assertThat(searches().tally().refusals()).isEmpty();
    assertThat(searches().tally().last()).isEmpty();
    Place<String> clients = offer("client", "t", CHEAP, "n1");
    answer("n1");
    assertThat(clients.stand()).isEqualTo(Stand.IN);
    assertThat(searches().tally().waited()).isEqualTo(1);
  }

  /** What waits for a node in vain is no reason to refuse what waits a moment for another. */
  @Test
  void isJudgedAtTheNodeThatItWaitsLongestFor() {
    learnCosts();
    fill("n1", "slow");
    int refused = 0;
    int waited = 0;
    for (int millis = 0; millis < 3000; millis++) {
      now += MILLI;
      if (millis % 5 == 0) {
        Place<String> both = offer("both", "t", CHEAP, "n1", "slow");
        refused += both.stand() == Stand.REFUSED ? 1 : 0;
      }
      if (millis % 50 == 0) {
        answer("slow");
      }
      if (millis % 2 == 0 && lane("n1").inFlight() > 0) {
        answer("n1");
      }
      Place<String> one = offer("one", "t", CHEAP, "n1");
      assertThat(one.stand()).isNotEqualTo(Stand.REFUSED);
      waited += one.stand() == Stand.WAITING ? 1 : 0;
      if (one.stand() == Stand.IN) {
        lane("n1").began();
      }
      searches().leave(one);
      for (Place<String> place : told) {
        if (place.stand() == Stand.IN) {
          lane("n1").began();
          lane("slow").began();
          searches().leave(place);
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

  private static QueueRefusal refusal(Place<String> place) {
    return Objects.requireNonNull(place.refusal());
  }
}
