package dev.weir.admission.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryPool;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory.Category;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RequestMemoryAccountTest {
  private static final long MB = 1 << 20;

  private final MemoryPool bodies = new MemoryPool(100 * MB);
  private final MemoryPool answers = new MemoryPool(100 * MB);
  private final MemoryPool work = new MemoryPool(100 * MB);
  private final GatewayMemory gateway =
      new GatewayMemory(
          policy(150 * MB, 0.8), new GatewayMemory.Pools(bodies, answers, work), () -> 77);

  private static RequestMemoryPolicy policy(long most, double share) {
    return new RequestMemoryPolicy(true, new ByteSize(most), new ByteSize(100 * MB), share);
  }

  private RequestMemoryAccount open() {
    return gateway.openAccount("POST", "/logs/_search?size=5", null);
  }

  private static MemoryRejection refused(RequestMemoryAccount ledger, Category item, long bytes) {
    return Objects.requireNonNull(ledger.reserve(item, bytes, () -> List.of("it grew")));
  }

  @Test
  void paysOutOfThePoolOfEachItem() {
    RequestMemoryAccount ledger = open();
    assertThat(ledger.reserve(Category.BODY, 1)).isNull();
    assertThat(ledger.reserve(Category.PARSED_BODY, 2)).isNull();
    assertThat(ledger.reserve(Category.NODE_RESPONSES, 4)).isNull();
    assertThat(ledger.reserve(Category.DECODED_RESPONSES, 8)).isNull();
    assertThat(ledger.reserve(Category.REDUCTION, 16)).isNull();
    assertThat(ledger.reserve(Category.CLIENT_RESPONSE, 32)).isNull();

    assertThat(bodies.usedBytes()).isEqualTo(1);
    assertThat(answers.usedBytes()).isEqualTo(2 + 4 + 32);
    assertThat(work.usedBytes()).isEqualTo(8 + 16);
    assertThat(ledger.usedBytes()).isEqualTo(63);
    assertThat(gateway.usedBytes()).isEqualTo(63);
    assertThat(gateway.usedBytes(Category.DECODED_RESPONSES)).isEqualTo(8);
    for (Category item : Category.values()) {
      ledger.release(item, ledger.usedBytes(item));
    }
    assertThat(ledger.usedBytes()).isZero();
    assertThat(gateway.usedBytes()).isZero();
    assertThat(bodies.usedBytes() + answers.usedBytes() + work.usedBytes()).isZero();
    assertThat(ledger.peakBytes()).isEqualTo(63);
  }

  @Test
  void explainAFailedTryWithoutCountingARejection() {
    List<MemoryRejection> told = new ArrayList<>();
    gateway.setRejectionListener((whose, why) -> told.add(why));
    RequestMemoryAccount other = open();
    assertThat(other.reserve(Category.NODE_RESPONSES, 70 * MB)).isNull();
    RequestMemoryAccount ledger = open();
    assertThat(ledger.tryReserve(Category.PARSED_BODY, 1 * MB)).isNull();
    MemoryRejection now = Objects.requireNonNull(ledger.tryReserve(Category.PARSED_BODY, 40 * MB));
    MemoryRejection ever = Objects.requireNonNull(ledger.tryReserve(Category.PARSED_BODY, 80 * MB));

    assertThat(now.permanent()).isFalse();
    assertThat(ever.permanent()).isTrue();
    assertThat(now.message())
        .contains("111mb", "all requests together", "items of the body 1mb", "retry after 1 s");
    assertThat(ever.message())
        .contains("81mb", "80mb", "admission.max-total-response-bytes", "a retry does not help");
    assertThat(ledger.usedBytes()).isEqualTo(1 * MB);
    assertThat(gateway.rejections(MemoryLimitScope.POOL)).isZero();
    assertThat(answers.rejections()).isZero();
    assertThat(gateway.recentRejections()).isEmpty();
    assertThat(told).isEmpty();
    assertThat(refused(ledger, Category.PARSED_BODY, 40 * MB).limitDescription())
        .isEqualTo(now.limitDescription());
    assertThat(gateway.rejections(MemoryLimitScope.POOL)).isOne();
    assertThat(answers.rejections()).isOne();
    assertThat(gateway.recentRejections()).hasSize(1);
    assertThat(told).hasSize(1);
  }

  @Test
  void reportAWaitForMemoryThatReadersOfResponsesHold() {
    AtomicInteger waits = new AtomicInteger();
    gateway.setResponseWaitListener(waits::incrementAndGet);
    RequestMemoryAccount reader = open();
    assertThat(reader.reserve(Category.CLIENT_RESPONSE, 70 * MB)).isNull();
    refused(open(), Category.NODE_RESPONSES, 40 * MB); // rejected at once
    assertThat(waits).hasValue(0);
    RequestMemoryAccount waiting = open();
    waiting.memoryWait().deferRejections();
    refused(waiting, Category.NODE_RESPONSES, 40 * MB);
    assertThat(waits).hasValue(1);
    assertThat(gateway.isAwaitingResponseMemory()).isFalse();
    assertThat(waiting.memoryWait().start(() -> {})).isTrue();
    assertThat(gateway.isAwaitingResponseMemory()).isTrue();
    assertThat(waiting.memoryWait().stop()).isTrue();

    refused(waiting, Category.NODE_RESPONSES, 90 * MB); // more than it may ever have
    assertThat(reader.reserve(Category.REDUCTION, 60 * MB)).isNull();
    refused(waiting, Category.REDUCTION, 50 * MB); // not held by readers
    assertThat(waits).hasValue(1);
  }

  @Test
  void rejectTooMuchForOneRequestWithItsBill() {
    RequestMemoryAccount ledger = open();
    assertThat(ledger.reserve(Category.BODY, 20 * MB)).isNull();
    assertThat(ledger.reserve(Category.NODE_RESPONSES, 70 * MB)).isNull();
    assertThat(ledger.reserve(Category.DECODED_RESPONSES, 50 * MB)).isNull();

    MemoryRejection why = refused(ledger, Category.REDUCTION, 11 * MB);

    assertThat(why.bill())
        .containsExactly("node answers 70mb", "decoded answers 50mb", "body 20mb");
    assertThat(why.resultingBytes()).isEqualTo(151 * MB);
    assertThat(why.limitBytes()).isEqualTo(150 * MB);
    assertThat(why.message())
        .startsWith("[request] Data too large, data for [reduction] would be [158334976/151mb],")
        .contains("admission.request-memory.max-bytes", "node answers 70mb", "it grew");
    assertThat(ledger.usedBytes()).isEqualTo(140 * MB);
    assertThat(gateway.rejections(MemoryLimitScope.REQUEST)).isEqualTo(1);
    assertThat(gateway.recentRejections())
        .singleElement()
        .satisfies(kept -> {
          assertThat(kept.atMillis()).isEqualTo(77);
          assertThat(kept.request()).isEqualTo("POST /logs/_search?size=5");
        });
  }

  @Test
  void leavesAFifthOfAPoolToOthersAndMoreTheMoreTheyHold() {
    RequestMemoryAccount one = open();
    assertThat(one.reserve(Category.NODE_RESPONSES, 80 * MB)).isNull();
    assertThat(refused(one, Category.NODE_RESPONSES, 1).limitDescription())
        .contains("one request alone");
    assertThat(gateway.rejections(MemoryLimitScope.POOL_SHARE)).isEqualTo(1);

    RequestMemoryAccount other = open();
    assertThat(other.reserve(Category.NODE_RESPONSES, 13 * MB)).isNull();
    MemoryRejection beside = refused(other, Category.NODE_RESPONSES, 1 * MB);
    assertThat(beside.limitDescription())
        .startsWith("one request beside the others (80 % of what they leave of");
    assertThat(beside.resultingBytes()).isEqualTo(14 * MB);
    assertThat(beside.limitBytes())
        .as("a 16th stays free for small requests")
        .isEqualTo(20 * MB - 100 * MB / 16);
    assertThat(beside.permanent()).isFalse();
    assertThat(open().reserve(Category.NODE_RESPONSES, 3 * MB))
        .as("a small one has what is left")
        .isNull();
  }

  @Test
  void rejectBeyondThePool() {
    RequestMemoryAccount one = open();
    assertThat(one.reserve(Category.BODY, 80 * MB)).isNull();
    for (int other = 0; other < 10; other++) {
      assertThat(open().reserve(Category.BODY, 2 * MB)).isNull();
    }
    MemoryRejection why = refused(open(), Category.BODY, 2 * MB);

    assertThat(why.limitDescription())
        .isEqualTo("all requests together (admission.max-total-body-bytes)");
    assertThat(why.message()).endsWith("; retry after 1 s, or raise the limit");
    assertThat(why.resultingBytes()).isEqualTo(102 * MB);
    assertThat(why.limitBytes()).isEqualTo(100 * MB);
    assertThat(bodies.rejections()).isEqualTo(1);
    assertThat(gateway.rejections(MemoryLimitScope.POOL)).isEqualTo(1);
  }

  @Test
  void holdsATenantToItsShareHoweverManyRequestsItMakes() {
    RequestMemoryAccount last = gateway.openAccount("GET", "/", "greedy");
    for (int n = 0; n < 40; n++) {
      RequestMemoryAccount one = gateway.openAccount("GET", "/", "greedy");
      assertThat(one.reserve(Category.NODE_RESPONSES, 2 * MB)).isNull();
      last = one;
    }
    assertThat(refused(last, Category.NODE_RESPONSES, 1 * MB).limitDescription())
        .contains("one tenant");
    assertThat(gateway.openAccount("GET", "/", "modest").reserve(Category.NODE_RESPONSES, 2 * MB))
        .isNull();
    assertThat(gateway.activeTenants()).isEqualTo(2);
  }

  @Test
  void forgetsATenantThatHoldsNothing() {
    RequestMemoryAccount one = gateway.openAccount("GET", "/", "t");
    assertThat(one.reserve(Category.BODY, 5)).isNull();
    assertThat(one.reserve(Category.CLIENT_RESPONSE, 5)).isNull();
    one.release(Category.BODY, 5);
    assertThat(gateway.activeTenants()).isEqualTo(1);
    one.release(Category.CLIENT_RESPONSE, 5);
    assertThat(gateway.activeTenants()).isZero();
    assertThat(gateway.openAccount("GET", "/", "t").reserve(Category.BODY, Long.MAX_VALUE))
        .isNotNull();
    assertThat(gateway.activeTenants()).isZero();
  }

  @Test
  void forceAReservationAndRejectOthersUntilItsRelease() {
    RequestMemoryAccount full = open();
    assertThat(full.reserve(Category.NODE_RESPONSES, 80 * MB)).isNull();
    RequestMemoryAccount one = gateway.openAccount("POST", "/", "acme");
    one.forceReserve(Category.CLIENT_RESPONSE, 150 * MB);
    assertThat(answers.usedBytes()).isEqualTo(230 * MB);
    assertThat(one.usedBytes()).isEqualTo(150 * MB);
    assertThat(gateway.usedBytes(Category.CLIENT_RESPONSE)).isEqualTo(150 * MB);
    assertThat(gateway.activeTenants()).isEqualTo(1);
    refused(open(), Category.NODE_RESPONSES, 1);
    one.release(Category.CLIENT_RESPONSE, 150 * MB);
    assertThat(gateway.activeTenants()).isZero();
    assertThat(open().reserve(Category.NODE_RESPONSES, 1)).isNull();
  }

  @Test
  void givesNothingBackThatWasNotTaken() {
    RequestMemoryAccount one = open();
    assertThat(one.reserve(Category.BODY, 5)).isNull();
    assertThatThrownBy(() -> one.release(Category.BODY, 6))
        .hasMessageContaining("expected: 0 to 5");
    assertThatThrownBy(() -> one.release(Category.CLIENT_RESPONSE, 1))
        .hasMessageContaining("expected: 0 to 0");
    assertThatThrownBy(() -> one.reserve(Category.BODY, -1))
        .hasMessageContaining("expected: 0 or more");
    assertThat(gateway.usedBytes()).isEqualTo(5);
  }

  @Test
  void applyANewPolicyToLaterRequests() {
    RequestMemoryAccount one = open();
    assertThat(one.reserve(Category.DECODED_RESPONSES, 60 * MB)).isNull();
    gateway.updatePolicy(policy(50 * MB, 0.8));
    assertThat(one.reserve(Category.BODY, 1)).as("goes by what it began with").isNull();
    assertThat(open().reserve(Category.BODY, 51 * MB)).isNotNull();
    one.release(Category.DECODED_RESPONSES, 60 * MB);
    gateway.updatePolicy(
        new RequestMemoryPolicy(false, new ByteSize(1), new ByteSize(70 * MB), 0.1));
    RequestMemoryAccount other = open();
    assertThat(other.reserve(Category.DECODED_RESPONSES, 70 * MB))
        .as("without a bound for one request")
        .isNull();
    assertThat(refused(other, Category.DECODED_RESPONSES, 1).limitDescription())
        .isEqualTo(
            "one request alone (100 % of admission.request-memory.max-total-reduce-bytes,"
                + " admission.request-memory.max-pool-ratio)");
  }

  @Test
  void useTheLimitsOfTheRequestsPolicy() {
    RequestMemoryAccount small =
        gateway.openAccount(
            "GET", "/", null, "", RequestMemoryLimits.forPolicy("small", policy(2 * MB, 0.8)));
    assertThat(small.reserve(Category.BODY, 2 * MB)).isNull();
    assertThat(refused(small, Category.BODY, 1).limitDescription())
        .isEqualTo("one request (policies.small.request-memory.max-bytes)");
    assertThat(open().reserve(Category.BODY, 3 * MB)).isNull();
  }

  @Test
  void showsTheLargestFirstAndOnlyLargeOnes() {
    RequestMemoryAccount small = open();
    RequestMemoryAccount big = gateway.openAccount("GET", "/big/_search", null);
    RequestMemoryAccount bigger = gateway.openAccount("GET", "/" + "x".repeat(1000), null);
    assertThat(small.reserve(Category.BODY, 1000)).isNull();
    assertThat(big.reserve(Category.NODE_RESPONSES, 2 * MB)).isNull();
    assertThat(bigger.reserve(Category.NODE_RESPONSES, 3 * MB)).isNull();

    assertThat(gateway.largestRequests(10)).hasSize(2);
    assertThat(gateway.largestRequests(10).getFirst().request()).hasSizeLessThan(220);
    assertThat(gateway.largestRequests(1)).hasSize(1);
    bigger.release(Category.NODE_RESPONSES, 3 * MB);
    assertThat(gateway.largestRequests(10))
        .containsExactly(
            new GatewayMemory.RequestUsage(
                "GET /big/_search", 2 * MB, 2 * MB, List.of("node answers 2mb")));
  }

  @Test
  void keepsTheLastTwentyRefusals() {
    for (int n = 0; n < 50; n++) {
      refused(gateway.openAccount("GET", "/" + n, null), Category.BODY, 200 * MB);
    }
    assertThat(gateway.recentRejections()).hasSize(GatewayMemory.MAX_RECENT_REJECTIONS);
    assertThat(gateway.recentRejections().getFirst().request()).isEqualTo("GET /49");
    assertThat(gateway.recentRejections().getLast().request()).isEqualTo("GET /30");
  }
}
