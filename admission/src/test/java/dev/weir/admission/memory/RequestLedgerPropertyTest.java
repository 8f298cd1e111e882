package dev.weir.admission.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.RequestMemory.Category;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds hold and everything returns to zero for any sequence of reservations and releases. */
final class RequestLedgerPropertyTest {
  private static final int STEPS = 4000;
  private static final Category[] ITEMS = Category.values();

  /** A reservation that will be released. */
  private record Taken(RequestMemoryAccount by, Category item, long bytes) {}

  private record House(GatewayMemory gateway, List<MemoryPool> pools, long ceiling) {
    static House of(Random random) {
      long ceiling = 1L + random.nextInt(200_000);
      List<MemoryPool> pools = new ArrayList<>();
      for (int n = 0; n < 3; n++) {
        pools.add(new MemoryPool(1L + random.nextInt(200_000)));
      }
      double share = 0.1 + 0.9 * random.nextDouble();
      RequestMemoryPolicy policy =
          new RequestMemoryPolicy(
              true, new ByteSize(ceiling), new ByteSize(pools.getLast().limitBytes()), share);
      GatewayMemory gateway =
          new GatewayMemory(
              policy, new GatewayMemory.Pools(pools.get(0), pools.get(1), pools.get(2)), () -> 0);
      return new House(gateway, pools, ceiling);
    }
  }

  private static long amount(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> Long.MAX_VALUE - random.nextInt(3);
      case 2 -> 1L << random.nextInt(63);
      case 3 -> random.nextInt(100_000);
      default -> random.nextInt(5_000);
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keepsEveryBoundAndReturnsToZero(long seed) {
    Random random = new Random(seed);
    House house = House.of(random);
    List<RequestMemoryAccount> open = new ArrayList<>();
    List<Taken> taken = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (open.isEmpty() || random.nextInt(10) == 0) {
        String tenant = random.nextBoolean() ? null : "t" + random.nextInt(3);
        open.add(house.gateway().openAccount("GET", "/", tenant));
      }
      RequestMemoryAccount one = open.get(random.nextInt(open.size()));
      Category item = ITEMS[random.nextInt(ITEMS.length)];
      long bytes = amount(random);
      long before = one.usedBytes();
      if (one.reserve(item, bytes) == null) {
        taken.add(new Taken(one, item, bytes));
      } else {
        assertThat(one.usedBytes()).as("nothing is taken by what is refused").isEqualTo(before);
      }
      while (!taken.isEmpty() && random.nextInt(3) == 0) {
        giveBack(taken.remove(random.nextInt(taken.size())));
      }
      if (random.nextInt(40) == 0) { // the request fails or is abandoned
        List<Taken> its = taken.stream().filter(some -> some.by() == one).toList();
        taken.removeAll(its);
        its.forEach(RequestLedgerPropertyTest::giveBack);
        assertThat(one.usedBytes()).isZero();
        open.remove(one);
      }
      check(house, taken);
    }
    taken.forEach(RequestLedgerPropertyTest::giveBack);
    assertAtRest(house);
  }

  private static void check(House house, List<Taken> taken) {
    long sum = 0;
    for (Taken one : taken) {
      sum += one.bytes();
      assertThat(one.by().usedBytes()).isBetween(0L, house.ceiling());
    }
    assertThat(house.gateway().usedBytes()).isEqualTo(sum);
    for (MemoryPool pool : house.pools()) {
      assertThat(pool.usedBytes()).isBetween(0L, pool.limitBytes());
    }
  }

  private static void giveBack(Taken one) {
    one.by().release(one.item(), one.bytes());
  }

  private static void assertAtRest(House house) {
    assertThat(house.gateway().usedBytes()).isZero();
    assertThat(house.gateway().activeTenants()).isZero();
    assertThat(house.gateway().largestRequests(1)).isEmpty();
    assertThat(house.pools()).allSatisfy(pool -> assertThat(pool.usedBytes()).isZero());
  }

  @Test
  void returnsToZeroWhenSeveralThreadsHoldForOneRequest() throws Exception {
    House house = House.of(new Random(9));
    RequestMemoryAccount shared = house.gateway().openAccount("GET", "/", "t");
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      Random random = new Random(n);
      RequestMemoryAccount own = house.gateway().openAccount("GET", "/", "t");
      threads.add(
          Thread.ofPlatform().start(() -> hold(random, random.nextBoolean() ? own : shared)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(shared.usedBytes()).isZero();
    assertAtRest(house);
  }

  @Test
  void returnsToZeroWhileThePoolChangesItsSize() throws Exception {
    House house = House.of(new Random(1));
    MemoryPool work = house.pools().getLast();
    AtomicBoolean done = new AtomicBoolean();
    Thread changing =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                work.setLimitBytes(1);
                work.setLimitBytes(10_000);
              }
            });
    RequestMemoryAccount ledger = house.gateway().openAccount("GET", "/", null);
    for (int step = 0; step < 100 * STEPS; step++) {
      if (ledger.reserve(Category.DECODED_RESPONSES, 500) == null) {
        assertThat(ledger.usedBytes()).isEqualTo(500);
        ledger.release(Category.DECODED_RESPONSES, 500);
      }
    }
    done.set(true);
    changing.join();
    assertAtRest(house);
  }

  private static void hold(Random random, RequestMemoryAccount ledger) {
    List<Taken> taken = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      Category item = ITEMS[random.nextInt(ITEMS.length)];
      long bytes = random.nextInt(3000);
      if (ledger.reserve(item, bytes) == null) {
        taken.add(new Taken(ledger, item, bytes));
      }
      if (!taken.isEmpty() && random.nextBoolean()) {
        giveBack(taken.remove(random.nextInt(taken.size())));
      }
    }
    taken.forEach(RequestLedgerPropertyTest::giveBack);
  }
}
