package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.Drawn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invariants that hold for any sequence of events. */
@Drawn(oneIn = 3)
class AdmissionPropertyTest {
  private static final long MILLI = 1_000_000;
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

  private final List<QueuePosition<Integer>> told = new ArrayList<>();
  private long now;

  /** A request in any state: it waits, its calls run, or it has ended. */
  private static final class Client {
    final QueuePosition<Integer> place;
    final List<NodeConcurrencyLimiter> running = new ArrayList<>();

    Client(QueuePosition<Integer> place) {
      this.place = place;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void releaseEverythingAndNotifyEachRequestOnce(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    now = random.nextLong();
    AdmissionQueues<Integer> queues =
        new AdmissionQueues<>(
            seed % 2 == 0
                ? QueuePolicies.fixed(3)
                : QueuePolicies.little(Duration.ofMillis(50), 2, 20),
            () -> now,
            tenant -> random.nextInt(5) == 0 ? oddWeight(random) : 1,
            told::add);
    Map<Integer, Client> waiting = new HashMap<>();
    List<Client> running = new ArrayList<>();
    int heard = 0;
    int expected = 0;
    for (int step = 0; step < 20_000; step++) {
      now += random.nextLong(2 * MILLI);
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5 -> {
          Client client = new Client(offer(queues, step, random));
          if (client.place.state() == QueuePosition.State.WAITING) {
            waiting.put(step, client);
            expected++;
          } else {
            begins(queues, client, random, running);
          }
        }
        case 6 -> {
          List<Integer> ids = new ArrayList<>(waiting.keySet());
          if (!ids.isEmpty()) {
            Client gone = Objects.requireNonNull(waiting.get(ids.get(random.nextInt(ids.size()))));
            if (gone.place.state() == QueuePosition.State.WAITING) {
              waiting.values().remove(gone);
              queue(queues, gone).release(gone.place); // its client disconnected
              expected--;
            }
          }
        }
        case 7 -> queues.tick();
        case 8 -> {
          if (random.nextInt(50) == 0) {
            queues.updatePolicy(
                random.nextBoolean()
                    ? QueuePolicies.fixed(1 + random.nextInt(5))
                    : QueuePolicies.off());
          } else if (random.nextInt(50) == 0) {
            queues.setThreads(NODES.getFirst(), NodeThreadPool.SEARCH, random.nextInt());
          }
        }
        default -> ends(running, random);
      }
      while (!told.isEmpty()) {
        QueuePosition<Integer> place = told.removeFirst();
        heard++;
        Client client = waiting.remove(place.request());
        begins(
            queues,
            Objects.requireNonNull(client, "hears once, and not after it left"),
            random,
            running);
      }
      assertThat(queues.waiting()).isEqualTo(waiting.size()).isLessThanOrEqualTo(3000);
    }
    while (!running.isEmpty() || !waiting.isEmpty()) {
      now += MILLI;
      ends(running, random);
      queues.tick();
      while (!told.isEmpty()) {
        QueuePosition<Integer> place = told.removeFirst();
        heard++;
        begins(queues, Objects.requireNonNull(waiting.remove(place.request())), random, running);
      }
    }
    assertThat(heard).isEqualTo(expected);
    assertThat(queues.waiting()).isZero();
    for (NodeConcurrencyLimiter lane : queues.limiters().allLimiters()) {
      assertThat(lane.inFlight()).as(lane.nodeId()).isZero();
      assertThat(lane.reserved()).as(lane.nodeId()).isZero();
      assertThat(lane.heldSlots().total()).as(lane.nodeId()).isZero();
      assertThat(lane.heldSlots().isShared("other", now + 3600_000 * MILLI)).isFalse();
      for (int tenant = 0; tenant < 4; tenant++) {
        assertThat(lane.heldSlots().countOf("t" + tenant)).as(lane.nodeId()).isZero();
      }
    }
    assertThat(queues.occupiedSlots()).isZero();
  }

  private static double oddWeight(RandomGenerator random) {
    double[] odd = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e300, 1e-300};
    return odd[random.nextInt(odd.length)];
  }

  private static AdmissionQueue<Integer> queue(AdmissionQueues<Integer> queues, Client client) {
    return queues.queueFor(NodeThreadPool.values()[client.place.request() % 3]);
  }

  private static QueuePosition<Integer> offer(
      AdmissionQueues<Integer> queues, int id, RandomGenerator random) {
    List<List<String>> calls = new ArrayList<>();
    for (int call = random.nextInt(5); call >= 0; call--) {
      List<String> nodes = new ArrayList<>(NODES);
      Collections.shuffle(nodes, java.util.Random.from(random));
      calls.add(nodes.subList(0, random.nextInt(3)));
    }
    long[] deadlines = {Long.MAX_VALUE, 0, -5, 30 * MILLI, Long.MIN_VALUE};
    return queues
        .queueFor(NodeThreadPool.values()[id % 3])
        .offer(
            id,
            new QueuedRequest(
                NodeDemand.of(calls),
                "t" + random.nextInt(4),
                random.nextInt(),
                deadlines[random.nextInt(10) == 0 ? random.nextInt(5) : 0]));
  }

  /** It was admitted or rejected, or has ended. */
  private static void begins(
      AdmissionQueues<Integer> queues,
      Client client,
      RandomGenerator random,
      List<Client> running) {
    if (client.place.state() == QueuePosition.State.ADMITTED && random.nextInt(10) > 0) {
      for (int call = random.nextInt(4); call >= 0; call--) {
        NodeConcurrencyLimiter lane =
            queues
                .limiters()
                .limiter(
                    NODES.get(random.nextInt(4)),
                    NodeThreadPool.values()[client.place.request() % 3]);
        lane.heldSlots().onCallStart(client.place.queuedRequest.tenant(), lane.onCallStart());
        client.running.add(lane);
      }
      running.add(client);
    }
    queue(queues, client).release(client.place);
    if (random.nextBoolean()) {
      queue(queues, client).release(client.place);
    }
  }

  private void ends(List<Client> running, RandomGenerator random) {
    if (running.isEmpty()) {
      return;
    }
    Client client = running.get(random.nextInt(running.size()));
    NodeConcurrencyLimiter lane = client.running.removeLast();
    lane.heldSlots().onCallEnd(client.place.queuedRequest.tenant());
    switch (random.nextInt(8)) {
      case 0 -> lane.onRejection(random.nextBoolean() ? now : random.nextLong());
      case 1 -> lane.onAbandoned();
      case 2 -> lane.onResponse(random.nextInt(), random.nextInt(), random.nextLong(), true);
      case 3 -> lane.onResponse(random.nextInt(16), -1, now, false);
      default -> lane.onResponse(random.nextInt(16), random.nextInt(9), now - 9 * MILLI, true);
    }
    if (client.running.isEmpty()) {
      running.remove(client);
    }
  }

  /** Two tenants with unlimited demand get equal shares, regardless of the demand of each. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void tenantsShareByTheirWeights(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    double weight = 1 + random.nextInt(4);
    int more = 1 + random.nextInt(10);
    AdmissionQueues<Integer> queues =
        new AdmissionQueues<>(
            QueuePolicies.fixed(8), () -> now, name -> name.equals("t1") ? weight : 1, told::add);
    AdmissionQueue<Integer> searches = queues.queueFor(NodeThreadPool.SEARCH);
    NodeConcurrencyLimiter lane = queues.limiters().limiter("n1", NodeThreadPool.SEARCH);
    NodeDemand demand = NodeDemand.of(List.of(List.of("n1")));
    int[] went = new int[2];
    int inFlight = 0;
    for (int step = 0; step < 60_000; step++) {
      now += MILLI / 2;
      for (int tenant = 0; tenant < 2; tenant++) {
        int wants = tenant == 0 ? more : 1;
        for (int i = 0; i < wants; i++) {
          QueuePosition<Integer> place =
              searches.offer(tenant, new QueuedRequest(demand, "t" + tenant, 0, Long.MAX_VALUE));
          if (place.state() == QueuePosition.State.ADMITTED) {
            told.add(place);
          }
        }
      }
      queues.tick();
      while (!told.isEmpty()) {
        QueuePosition<Integer> place = told.removeFirst();
        if (place.state() == QueuePosition.State.ADMITTED) {
          went[place.request()] += step > 10_000 ? 1 : 0;
          lane.onCallStart();
          inFlight++;
          searches.release(place);
        }
      }
      if (inFlight > 0 && random.nextBoolean()) {
        inFlight--;
        lane.onResponse(0, 4, now - 4 * MILLI, true);
      }
    }
    assertThat(went[1] / (double) (went[0] + went[1]))
        .as("share of weight " + weight + " beside one that wants " + more + " times as much")
        .isBetween(weight / (weight + 1) - 0.03, weight / (weight + 1) + 0.03);
  }

  /** A client that changes its name with each request gets no more than one that keeps it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void takeNoShareAndNoMemoryForNewTenants(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    AdmissionQueues<Integer> queues =
        new AdmissionQueues<>(
            QueuePolicies.fixed(8, 1000, Duration.ofSeconds(30)), () -> now, name -> 1, told::add);
    AdmissionQueue<Integer> searches = queues.queueFor(NodeThreadPool.SEARCH);
    NodeConcurrencyLimiter lane = queues.limiters().limiter("n1", NodeThreadPool.SEARCH);
    NodeDemand demand = NodeDemand.of(List.of(List.of("n1")));
    int names = 0;
    int known = 0;
    int inFlight = 0;
    int[] went = new int[2];
    for (int step = 0; step < 60_000; step++) {
      now += MILLI / 2;
      boolean fresh = searches.waiting() < 100 + random.nextInt(100);
      if (fresh || known < 3) {
        boolean its = known < 3 && random.nextBoolean();
        String name = its ? "known" : "fresh" + names++;
        QueuePosition<Integer> place =
            searches.offer(its ? 0 : 1, new QueuedRequest(demand, name, 0, Long.MAX_VALUE));
        known += its ? 1 : 0;
        if (place.state() != QueuePosition.State.WAITING) {
          told.add(place);
        }
      }
      while (!told.isEmpty()) {
        QueuePosition<Integer> place = told.removeFirst();
        known -= place.request() == 0 ? 1 : 0;
        if (place.state() == QueuePosition.State.ADMITTED) {
          went[place.request()] += step > 10_000 ? 1 : 0;
          lane.onCallStart();
          inFlight++;
        }
        searches.release(place);
      }
      if (inFlight > 0 && random.nextInt(3) == 0) {
        inFlight--;
        lane.onResponse(0, 4, now - 4 * MILLI, true);
      }
      assertThat(searches.tenantCount())
          .isLessThanOrEqualTo(2 * FairTenantScheduler.MAX_TENANTS + 1);
    }
    assertThat(names).isGreaterThan(10 * FairTenantScheduler.MAX_TENANTS);
    assertThat(went[0])
        .as("a share like each of at most 200 names that wait has, of %s", went[0] + went[1])
        .isGreaterThan((went[0] + went[1]) / 250);
  }
}
