package dev.weir.admission.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryWait;
import dev.weir.model.RequestMemory.Category;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for memory, with three pools of 100 MB of which one request may hold 80. */
class AccountMemoryWaitTest {
  private static final long MB = 1 << 20;

  private final MemoryPool reduce = new MemoryPool(100 * MB);
  private final GatewayMemory gateway =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(150 * MB), new ByteSize(100 * MB), 0.8),
          new GatewayMemory.Pools(new MemoryPool(100 * MB), new MemoryPool(100 * MB), reduce),
          () -> 0);
  private final List<String> granted = new ArrayList<>();

  @AfterEach
  void nothingIsOwed() {
    assertThat(reduce.usedBytes()).isZero();
    assertThat(gateway.usedBytes()).isZero();
    assertThat(gateway.waitingRequests()).isZero();
    assertThat(gateway.activeTenants()).isZero();
  }

  private RequestMemoryAccount open() {
    return open(null);
  }

  private RequestMemoryAccount open(@Nullable String tenant) {
    RequestMemoryAccount account = gateway.openAccount("POST", "/_search", tenant);
    account.memoryWait().deferRejections();
    return account;
  }

  private RequestMemoryAccount holding(long bytes) {
    RequestMemoryAccount account = open();
    assertThat(account.reserve(Category.REDUCTION, bytes)).isNull();
    return account;
  }

  /** Has an account refused, and lets it wait. */
  private MemoryWait waiting(String name, RequestMemoryAccount account, long bytes) {
    assertThat(account.reserve(Category.REDUCTION, bytes)).isNotNull();
    MemoryWait wait = account.memoryWait();
    assertThat(wait.start(() -> granted.add(name))).isTrue();
    return wait;
  }

  @Test
  void grantInOrderOfArrivalWhenMemoryIsReleased() {
    RequestMemoryAccount holder = holding(70 * MB);
    MemoryWait first = waiting("first", open(), 28 * MB);
    MemoryWait second = waiting("second", open(), 25 * MB);
    assertThat(granted).isEmpty();
    assertThat(gateway.waitingRequests()).isEqualTo(2);

    holder.release(Category.REDUCTION, 30 * MB);
    assertThat(granted)
        .as("twice 28 does not fit beside 40, nor may the second overtake")
        .isEmpty();
    holder.release(Category.REDUCTION, 40 * MB);
    assertThat(granted).containsExactly("first");
    assertThat(reduce.usedBytes()).isEqualTo(56 * MB);

    first.releaseUnused();
    assertThat(granted).containsExactly("first", "second");
    assertThat(gateway.grantedWaits()).isEqualTo(2);
    second.releaseUnused();
  }

  @Test
  void useTheGrantedBytesWhileOthersHoldTheRest() {
    RequestMemoryAccount holder = holding(70 * MB);
    RequestMemoryAccount account = open();
    MemoryWait wait = waiting("it", account, 25 * MB);
    holder.release(Category.REDUCTION, 70 * MB);
    assertThat(granted).containsExactly("it");
    RequestMemoryAccount other = holding(40 * MB);

    assertThat(account.reserve(Category.DECODED_RESPONSES, 30 * MB)).isNull();
    assertThat(account.reserve(Category.REDUCTION, 20 * MB)).isNull();
    assertThat(reduce.usedBytes()).as("paid out of the grant").isEqualTo(90 * MB);
    assertThat(account.reserve(Category.REDUCTION, 1 * MB)).isNotNull();

    account.release(Category.DECODED_RESPONSES, 30 * MB);
    account.release(Category.REDUCTION, 20 * MB);
    wait.releaseUnused();
    other.release(Category.REDUCTION, 40 * MB);
  }

  @Test
  void waitTheSecondTimeForAsMuchAsOneRequestMayHold() {
    RequestMemoryAccount holder = holding(70 * MB);
    RequestMemoryAccount account = open();
    MemoryWait wait = waiting("once", account, 25 * MB);
    holder.release(Category.REDUCTION, 70 * MB);
    wait.releaseUnused();
    holder = holding(70 * MB);
    waiting("twice", account, 25 * MB);
    holder.release(Category.REDUCTION, 70 * MB);
    assertThat(granted).containsExactly("once", "twice");
    assertThat(reduce.usedBytes()).isEqualTo(80 * MB);
    wait.releaseUnused();
  }

  @Test
  void waitForJustWhatIsNeededInTheSameQueue() {
    RequestMemoryAccount holder = holding(70 * MB);
    MemoryWait search = waiting("search", open(), 28 * MB);
    RequestMemoryAccount account = gateway.openAccount("POST", "/_search", null);
    MemoryWait body = account.memoryWait();
    assertThat(body.startFor(Category.REDUCTION, 10 * MB, () -> granted.add("body"))).isTrue();
    assertThat(granted).as("it does not overtake").isEmpty();

    holder.release(Category.REDUCTION, 70 * MB);
    assertThat(granted).containsExactly("search", "body");
    assertThat(reduce.usedBytes()).isEqualTo(66 * MB);
    assertThat(account.reserve(Category.REDUCTION, 10 * MB)).isNull();
    body.releaseUnused();
    assertThat(reduce.usedBytes()).isEqualTo(66 * MB);
    search.releaseUnused();
    account.release(Category.REDUCTION, 10 * MB);

    assertThat(body.startFor(Category.REDUCTION, 81 * MB, () -> granted.add("never"))).isFalse();
    assertThat(body.startFor(Category.BODY, MB, () -> granted.add("never"))).isFalse();
  }

  @Test
  void refuseToWaitForWhatItCanNeverHold() {
    RequestMemoryAccount account = open();
    assertThat(account.reserve(Category.REDUCTION, 81 * MB)).isNotNull();
    assertThat(account.memoryWait().start(() -> granted.add("never"))).isFalse();
    assertThat(account.reserve(Category.NODE_RESPONSES, 151 * MB)).isNotNull();
    assertThat(account.memoryWait().start(() -> granted.add("never"))).isFalse();

    RequestMemoryAccount full = holding(70 * MB);
    assertThat(full.reserve(Category.REDUCTION, 20 * MB)).isNotNull();
    assertThat(full.memoryWait().start(() -> granted.add("itself")))
        .as("it would wait for its own 70 MB")
        .isFalse();
    full.release(Category.REDUCTION, 70 * MB);
    assertThat(granted).isEmpty();
  }

  @Test
  void leaveTheQueueAndLetTheNextOneIn() {
    RequestMemoryAccount holder = holding(60 * MB);
    MemoryWait first = waiting("first", open(), 38 * MB);
    MemoryWait second = waiting("second", open(), 33 * MB);
    assertThat(first.stop()).isTrue();
    assertThat(first.stop()).isFalse();
    holder.release(Category.REDUCTION, 60 * MB);
    assertThat(granted).containsExactly("second");
    assertThat(second.stop()).as("it has its bytes already").isFalse();
    second.releaseUnused();
  }

  /** Lets an account of a tenant wait for just these bytes. */
  private MemoryWait waitingFor(String name, RequestMemoryAccount account, long bytes) {
    MemoryWait wait = account.memoryWait();
    assertThat(wait.startFor(Category.REDUCTION, bytes, () -> granted.add(name))).isTrue();
    return wait;
  }

  @Test
  void countGrantsOfATenantTogether() {
    RequestMemoryAccount holder = holding(79 * MB);
    RequestMemoryAccount user = open("greedy");
    MemoryWait used = waitingFor("greedy 1", user, 30 * MB);
    MemoryWait cancelled = waitingFor("greedy 2", open("greedy"), 30 * MB);
    RequestMemoryAccount last = open("greedy");
    MemoryWait waiting = waitingFor("greedy 3", last, 25 * MB);
    MemoryWait modest = waitingFor("modest", open("modest"), 10 * MB);

    holder.release(Category.REDUCTION, 79 * MB);
    assertThat(granted)
        .as("85 MB would leave a tenant's share of 15, not of 21")
        .containsExactly("greedy 1", "greedy 2", "modest");
    assertThat(gateway.activeTenants()).isEqualTo(2);

    assertThat(user.reserve(Category.DECODED_RESPONSES, 30 * MB)).isNull();
    used.releaseUnused();
    assertThat(granted).as("used bytes count as the granted ones did").hasSize(3);
    assertThat(cancelled.stop()).as("it has its bytes already").isFalse();
    cancelled.releaseUnused();
    assertThat(granted).containsExactly("greedy 1", "greedy 2", "modest", "greedy 3");
    assertThat(reduce.usedBytes()).isEqualTo(65 * MB);

    waiting.releaseUnused();
    assertThat(last.reserve(Category.REDUCTION, 40 * MB)).as("70 MB of 80").isNull();
    last.release(Category.REDUCTION, 40 * MB);
    modest.releaseUnused();
    assertThat(gateway.activeTenants()).isEqualTo(1);
    user.release(Category.DECODED_RESPONSES, 30 * MB);
  }

  /** Grants are used, in part or not at all, and released, or their requests are cancelled. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void returnAllBytesOfATenantForAnySequence(long seed) {
    Random random = new Random(seed);
    RequestMemoryAccount keeper = open("tenant");
    assertThat(keeper.reserve(Category.REDUCTION, 1)).isNull();
    List<RequestMemoryAccount> accounts = new ArrayList<>();
    for (int n = 0; n < 6; n++) {
      accounts.add(open("tenant"));
    }
    for (int step = 0; step < 2000; step++) {
      RequestMemoryAccount account = accounts.get(random.nextInt(accounts.size()));
      MemoryWait wait = account.memoryWait();
      long held = account.usedBytes(Category.REDUCTION);
      switch (random.nextInt(6)) {
        case 0 -> {
          wait.stop();
          wait.releaseUnused();
          wait.startFor(
              Category.REDUCTION, (1 + random.nextInt(40)) * MB, () -> granted.add("some"));
        }
        case 1 -> {
          wait.stop();
          wait.releaseUnused();
        }
        case 2, 3 -> account.tryReserve(Category.REDUCTION, random.nextInt(30) * MB);
        default -> account.release(Category.REDUCTION, random.nextBoolean() ? held : held / 2);
      }
      assertThat(reduce.usedBytes()).isBetween(1L, 100 * MB);
    }
    for (RequestMemoryAccount account : accounts) {
      account.memoryWait().stop();
      account.memoryWait().releaseUnused();
      account.release(Category.REDUCTION, account.usedBytes(Category.REDUCTION));
    }
    assertThat(granted).hasSizeGreaterThan(50);
    assertThat(reduce.usedBytes()).isEqualTo(1);
    assertThat(accounts.getFirst().reserve(Category.REDUCTION, 79 * MB))
        .as("nothing else counts for the tenant")
        .isNull();
    accounts.getFirst().release(Category.REDUCTION, 79 * MB);
    keeper.release(Category.REDUCTION, 1);
  }

  @Test
  void countARejectionOnlyWhenItIsReported() {
    RequestMemoryAccount account = open();
    assertThat(account.reserve(Category.REDUCTION, 81 * MB)).isNotNull();
    assertThat(gateway.rejections(MemoryLimitScope.POOL_SHARE)).isZero();
    assertThat(gateway.recentRejections()).isEmpty();
    account.memoryWait().reportRejection();
    account.memoryWait().reportRejection();
    assertThat(gateway.rejections(MemoryLimitScope.POOL_SHARE)).isOne();
    assertThat(gateway.recentRejections()).hasSize(1);
  }

  @Test
  void boundTheNumberOfWaitingRequests() {
    RequestMemoryAccount holder = holding(79 * MB);
    List<MemoryWait> waits = new ArrayList<>();
    for (int n = 0; n < MemoryWaitQueue.MAX_WAITING; n++) {
      waits.add(waiting("many", open(), 20 * MB));
    }
    RequestMemoryAccount last = open();
    assertThat(last.reserve(Category.REDUCTION, 20 * MB)).isNotNull();
    assertThat(last.memoryWait().start(() -> granted.add("last"))).isFalse();
    waits.forEach(MemoryWait::stop);
    holder.release(Category.REDUCTION, 79 * MB);
    assertThat(granted).isEmpty();
  }
}
