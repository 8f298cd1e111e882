package dev.weir.node.ceiling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;

final class RequestAccountsTest {
  private final RequestAccounts accounts = new RequestAccounts();

  private static RequestAccount open() {
    return new RequestAccount(
        new RequestCeiling(1, 1, ""), "", new NoopCircuitBreaker(CircuitBreaker.REQUEST));
  }

  @Test
  void shareAnAccountAmongTheShardsOfASearch() {
    RequestAccount first = accounts.acquire("search", RequestAccountsTest::open);

    assertThat(accounts.acquire("search", RequestAccountsTest::open)).isSameAs(first);
    assertThat(accounts.acquire("other", RequestAccountsTest::open)).isNotSameAs(first);
    assertThat(accounts.size()).isEqualTo(2);
  }

  @Test
  void forgetAnAccountWithItsLastShard() {
    RequestAccount first = accounts.acquire("search", RequestAccountsTest::open);
    accounts.acquire("search", RequestAccountsTest::open);

    accounts.release("search");
    assertThat(accounts.acquire("search", RequestAccountsTest::open)).isSameAs(first);
    accounts.release("search");
    accounts.release("search");
    assertThat(accounts.size()).isZero();
    assertThat(accounts.acquire("search", RequestAccountsTest::open)).isNotSameAs(first);
  }
}
