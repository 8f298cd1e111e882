package dev.weir.admission.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory.Bound;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class RequestLedgerTest {
  private static final long MB = 1 << 20;

  private final MemoryLedger bodies = new MemoryLedger(100 * MB);
  private final MemoryLedger answers = new MemoryLedger(100 * MB);
  private final MemoryLedger work = new MemoryLedger(100 * MB);
  private final GatewayMemory gateway =
      new GatewayMemory(
          policy(150 * MB, 0.8), new GatewayMemory.Pools(bodies, answers, work), () -> 77);

  private static RequestMemoryPolicy policy(long most, double share) {
    return new RequestMemoryPolicy(true, new ByteSize(most), new ByteSize(100 * MB), share);
  }

  private RequestLedger open() {
    return gateway.open("POST", "/logs/_search?size=5", null);
  }

  private static MemoryRefusal refused(RequestLedger ledger, Item item, long bytes) {
    return Objects.requireNonNull(ledger.take(item, bytes, () -> List.of("it grew")));
  }

  @Test
  void paysOutOfThePoolOfEachItem() {
    RequestLedger ledger = open();
    assertThat(ledger.take(Item.BODY, 1)).isNull();
    assertThat(ledger.take(Item.PARSED, 2)).isNull();
    assertThat(ledger.take(Item.ANSWERS, 4)).isNull();
    assertThat(ledger.take(Item.DECODED, 8)).isNull();
    assertThat(ledger.take(Item.REDUCTION, 16)).isNull();
    assertThat(ledger.take(Item.OUTPUT, 32)).isNull();

    assertThat(bodies.held()).isEqualTo(1);
    assertThat(answers.held()).isEqualTo(2 + 4 + 32);
    assertThat(work.held()).isEqualTo(8 + 16);
    assertThat(ledger.held()).isEqualTo(63);
    assertThat(gateway.held()).isEqualTo(63);
    assertThat(gateway.held(Item.DECODED)).isEqualTo(8);
    for (Item item : Item.values()) {
      ledger.giveBack(item, ledger.held(item));
    }
    assertThat(ledger.held()).isZero();
    assertThat(gateway.held()).isZero();
    assertThat(bodies.held() + answers.held() + work.held()).isZero();
    assertThat(ledger.peak()).isEqualTo(63);
  }

  @Test
  void whoCanWaitIsToldWhyAndNotCountedAsRefused() {
    List<MemoryRefusal> told = new ArrayList<>();
    gateway.tellRefusals((whose, why) -> told.add(why));
    RequestLedger other = open();
    assertThat(other.take(Item.ANSWERS, 70 * MB)).isNull();
    RequestLedger ledger = open();
    assertThat(ledger.tryTake(Item.PARSED, 1 * MB)).isNull();
    MemoryRefusal now = Objects.requireNonNull(ledger.tryTake(Item.PARSED, 40 * MB));
    MemoryRefusal ever = Objects.requireNonNull(ledger.tryTake(Item.PARSED, 80 * MB));

    assertThat(now.lasting()).isFalse();
    assertThat(ever.lasting()).isTrue();
    assertThat(now.message()).contains("111mb", "all requests together", "items of the body 1mb");
    assertThat(ledger.held()).isEqualTo(1 * MB);
    assertThat(gateway.refused(Bound.POOL)).isZero();
    assertThat(answers.refused()).isZero();
    assertThat(gateway.refusals()).isEmpty();
    assertThat(told).isEmpty();
    assertThat(refused(ledger, Item.PARSED, 40 * MB).message()).startsWith(now.message());
    assertThat(gateway.refused(Bound.POOL)).isOne();
    assertThat(answers.refused()).isOne();
    assertThat(gateway.refusals()).hasSize(1);
    assertThat(told).hasSize(1);
  }

  @Test
  void refusesWhatIsTooMuchForOneRequestWithTheBill() {
    RequestLedger ledger = open();
    assertThat(ledger.take(Item.BODY, 20 * MB)).isNull();
    assertThat(ledger.take(Item.ANSWERS, 70 * MB)).isNull();
    assertThat(ledger.take(Item.DECODED, 50 * MB)).isNull();

    MemoryRefusal why = refused(ledger, Item.REDUCTION, 11 * MB);

    assertThat(why.bill())
        .containsExactly("node answers 70mb", "decoded answers 50mb", "body 20mb");
    assertThat(why.wouldBe()).isEqualTo(151 * MB);
    assertThat(why.limit()).isEqualTo(150 * MB);
    assertThat(why.message())
        .startsWith("[request] Data too large, data for [reduction] would be [158334976/151mb],")
        .contains("admission.request-memory.max-bytes", "node answers 70mb", "it grew");
    assertThat(ledger.held()).isEqualTo(140 * MB);
    assertThat(gateway.refused(Bound.REQUEST)).isEqualTo(1);
    assertThat(gateway.refusals())
        .singleElement()
        .satisfies(kept -> {
          assertThat(kept.atMillis()).isEqualTo(77);
          assertThat(kept.request()).isEqualTo("POST /logs/_search?size=5");
        });
  }

  @Test
  void leavesAFifthOfAPoolToOthersAndMoreTheMoreTheyHold() {
    RequestLedger one = open();
    assertThat(one.take(Item.ANSWERS, 80 * MB)).isNull();
    assertThat(refused(one, Item.ANSWERS, 1).bound()).contains("beside the others");
    assertThat(gateway.refused(Bound.SHARE)).isEqualTo(1);

    RequestLedger other = open();
    assertThat(other.take(Item.ANSWERS, 16 * MB)).isNull();
    assertThat(other.take(Item.ANSWERS, 1)).as("16 is four times what is left").isNotNull();
    assertThat(open().take(Item.ANSWERS, 3 * MB)).as("a small one has what is left").isNull();
  }

  @Test
  void refusesWhatThePoolDoesNotHave() {
    RequestLedger one = open();
    assertThat(one.take(Item.BODY, 80 * MB)).isNull();
    for (int other = 0; other < 10; other++) {
      assertThat(open().take(Item.BODY, 2 * MB)).isNull();
    }
    MemoryRefusal why = refused(open(), Item.BODY, 2 * MB);

    assertThat(why.bound()).isEqualTo("all requests together");
    assertThat(why.limit()).isEqualTo(100 * MB);
    assertThat(bodies.refused()).isEqualTo(1);
    assertThat(gateway.refused(Bound.POOL)).isEqualTo(1);
  }

  @Test
  void holdsATenantToItsShareHoweverManyRequestsItMakes() {
    RequestLedger last = gateway.open("GET", "/", "greedy");
    for (int n = 0; n < 40; n++) {
      RequestLedger one = gateway.open("GET", "/", "greedy");
      assertThat(one.take(Item.ANSWERS, 2 * MB)).isNull();
      last = one;
    }
    assertThat(refused(last, Item.ANSWERS, 1 * MB).bound()).contains("one tenant");
    assertThat(gateway.open("GET", "/", "modest").take(Item.ANSWERS, 2 * MB)).isNull();
    assertThat(gateway.tenantsHolding()).isEqualTo(2);
  }

  @Test
  void forgetsATenantThatHoldsNothing() {
    RequestLedger one = gateway.open("GET", "/", "t");
    assertThat(one.take(Item.BODY, 5)).isNull();
    assertThat(one.take(Item.OUTPUT, 5)).isNull();
    one.giveBack(Item.BODY, 5);
    assertThat(gateway.tenantsHolding()).isEqualTo(1);
    one.giveBack(Item.OUTPUT, 5);
    assertThat(gateway.tenantsHolding()).isZero();
    assertThat(gateway.open("GET", "/", "t").take(Item.BODY, Long.MAX_VALUE)).isNotNull();
    assertThat(gateway.tenantsHolding()).isZero();
  }

  @Test
  void takesWhatMustNotBeRefusedAndRefusesOthersUntilItIsBack() {
    RequestLedger full = open();
    assertThat(full.take(Item.ANSWERS, 80 * MB)).isNull();
    RequestLedger one = gateway.open("POST", "/", "acme");
    one.takeAnyway(Item.OUTPUT, 150 * MB);
    assertThat(answers.held()).isEqualTo(230 * MB);
    assertThat(one.held()).isEqualTo(150 * MB);
    assertThat(gateway.held(Item.OUTPUT)).isEqualTo(150 * MB);
    assertThat(gateway.tenantsHolding()).isEqualTo(1);
    refused(open(), Item.ANSWERS, 1);
    one.giveBack(Item.OUTPUT, 150 * MB);
    assertThat(gateway.tenantsHolding()).isZero();
    assertThat(open().take(Item.ANSWERS, 1)).isNull();
  }

  @Test
  void givesNothingBackThatWasNotTaken() {
    RequestLedger one = open();
    assertThat(one.take(Item.BODY, 5)).isNull();
    assertThatThrownBy(() -> one.giveBack(Item.BODY, 6)).hasMessageContaining("expected: 0 to 5");
    assertThatThrownBy(() -> one.giveBack(Item.OUTPUT, 1)).hasMessageContaining("expected: 0 to 0");
    assertThatThrownBy(() -> one.take(Item.BODY, -1)).hasMessageContaining("expected: 0 or more");
    assertThat(gateway.held()).isEqualTo(5);
  }

  @Test
  void boundsWhatComesAfterItByANewPolicy() {
    RequestLedger one = open();
    assertThat(one.take(Item.DECODED, 60 * MB)).isNull();
    gateway.use(policy(50 * MB, 0.8));
    assertThat(one.take(Item.BODY, 1)).as("goes by what it began with").isNull();
    assertThat(open().take(Item.BODY, 51 * MB)).isNotNull();
    one.giveBack(Item.DECODED, 60 * MB);
    gateway.use(new RequestMemoryPolicy(false, new ByteSize(1), new ByteSize(70 * MB), 0.1));
    RequestLedger other = open();
    assertThat(other.take(Item.DECODED, 70 * MB)).as("without a bound for one request").isNull();
    assertThat(refused(other, Item.DECODED, 1).bound()).isEqualTo("all requests together");
  }

  @Test
  void aRequestHasTheLimitsOfItsOwnPolicy() {
    RequestLedger small =
        gateway.open("GET", "/", null, "", RequestLimits.of("small", policy(2 * MB, 0.8)));
    assertThat(small.take(Item.BODY, 2 * MB)).isNull();
    assertThat(refused(small, Item.BODY, 1).bound())
        .isEqualTo("one request (policies.small.request-memory.max-bytes)");
    assertThat(open().take(Item.BODY, 3 * MB)).isNull();
  }

  @Test
  void showsTheLargestFirstAndOnlyLargeOnes() {
    RequestLedger small = open();
    RequestLedger big = gateway.open("GET", "/big/_search", null);
    RequestLedger bigger = gateway.open("GET", "/" + "x".repeat(1000), null);
    assertThat(small.take(Item.BODY, 1000)).isNull();
    assertThat(big.take(Item.ANSWERS, 2 * MB)).isNull();
    assertThat(bigger.take(Item.ANSWERS, 3 * MB)).isNull();

    assertThat(gateway.largest(10)).hasSize(2);
    assertThat(gateway.largest(10).getFirst().request()).hasSizeLessThan(220);
    assertThat(gateway.largest(1)).hasSize(1);
    bigger.giveBack(Item.ANSWERS, 3 * MB);
    assertThat(gateway.largest(10))
        .containsExactly(
            new GatewayMemory.Holding(
                "GET /big/_search", 2 * MB, 2 * MB, List.of("node answers 2mb")));
  }

  @Test
  void keepsTheLastTwentyRefusals() {
    for (int n = 0; n < 50; n++) {
      refused(gateway.open("GET", "/" + n, null), Item.BODY, 200 * MB);
    }
    assertThat(gateway.refusals()).hasSize(GatewayMemory.REFUSALS_KEPT);
    assertThat(gateway.refusals().getFirst().request()).isEqualTo("GET /49");
    assertThat(gateway.refusals().getLast().request()).isEqualTo("GET /30");
  }
}
