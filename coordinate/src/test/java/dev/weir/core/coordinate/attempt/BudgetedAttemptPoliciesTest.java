package dev.weir.core.coordinate.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.core.coordinate.attempt.AttemptCounts.Count;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.protocol.NodeCallException;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.internal.ShardSearchContextId;

class BudgetedAttemptPoliciesTest {
  private static final RoutingPolicy FIRST =
      policy("retries: {budget-ratio: 0, min-retries-per-second: 0, max-burst: 3}");

  private final PolicyCompiler<RoutingPolicy> policies = new PolicyCompiler<>(FIRST);
  private final BudgetedAttemptPolicies tails =
      new BudgetedAttemptPolicies(
          new NodeLoadTracker(FIRST, () -> 0, new SplittableRandom(7)),
          policies,
          () -> 0,
          () -> false);
  private final AttemptPolicy tail = tails.forPolicy(RequestPolicy.NONE);

  private static RoutingPolicy policy(String routing) {
    return TestPolicies.parse("clusters: {main: {seeds: [a:1]}}\nrouting: {" + routing + "}")
        .routing();
  }

  private static NodeCallException failure(NodeCallException.Kind kind, Exception cause) {
    return new NodeCallException(kind, "n1", cause);
  }

  @Test
  void takesATokenForEverySearchThatStartsOver() {
    Exception missing = new SearchContextMissingException(new ShardSearchContextId("", 1));
    IOException lost = new IOException("lost");
    assertThat(tail.canRestart(failure(NodeCallException.Kind.CONNECTION_LOST, lost))).isTrue();
    assertThat(tail.canRestart(failure(NodeCallException.Kind.NOT_SENT, lost))).isTrue();
    assertThat(tail.canRestart(failure(NodeCallException.Kind.REMOTE, missing))).isTrue();
    assertThat(tail.canRestart(failure(NodeCallException.Kind.CONNECTION_LOST, lost))).isFalse();
    assertThat(tails.counts().restartsByReason())
        .containsExactlyInAnyOrder(
            new Count("", "connection-lost", 1),
            new Count("", "not-sent", 1),
            new Count("", "context-lost", 1),
            new Count("", "budget-exhausted", 1));
    assertThat(tails.counts().retriesByReason()).isEmpty();
  }

  @Test
  void refillsABudgetOnlyWhereItsTermsDiffer() {
    NodeCallException lost =
        failure(NodeCallException.Kind.CONNECTION_LOST, new IOException("lost"));
    assertThat(tail.canRetry(lost)).isTrue();
    RequestPolicy alike =
        policies.compile(
            "",
            policy(
                "algorithm: c3, retries: {budget-ratio: 0, min-retries-per-second: 0, max-burst:"
                    + " 3}"),
            null);
    assertThat(tails.retryTokens(alike)).isEqualTo(2);
    assertThat(tails.forPolicy(alike).isHedgingEnabled()).isTrue();
    RequestPolicy other =
        policies.compile(
            "", policy("hedging: {enabled: false, max-burst: 7}, retries: {max-burst: 4}"), alike);
    assertThat(tails.retryTokens(other)).isEqualTo(4);
    assertThat(tails.hedgeTokens(other)).isEqualTo(7);
    assertThat(tails.forPolicy(other).isHedgingEnabled()).isFalse();
  }

  @Test
  void keepBudgetsOfPoliciesApart() {
    RoutingPolicy own =
        policy("retries: {budget-ratio: 0, min-retries-per-second: 0, max-burst: 2}");
    RequestPolicies now =
        policies.compile(
            FIRST, Map.of("own", own, "strict", policy("retries: {max-burst: 1}")), null);
    RequestPolicy named = Objects.requireNonNull(now.namedPolicies().get("own"));
    RequestPolicy strict = Objects.requireNonNull(now.namedPolicies().get("strict"));
    NodeCallException lost =
        failure(NodeCallException.Kind.CONNECTION_LOST, new IOException("lost"));
    assertThat(tails.forPolicy(named).canRetry(lost)).isTrue();
    assertThat(tails.forPolicy(named).canRetry(lost)).isTrue();
    assertThat(tails.forPolicy(named).canRetry(lost)).isFalse();
    assertThat(tails.retryTokens(now.defaultPolicy())).isEqualTo(3);
    assertThat(tails.forPolicy(strict).canRetry(lost)).isTrue();
    assertThat(tails.forPolicy(strict).canRetry(lost)).isFalse();
    assertThat(tails.counts().retriesByReason()).contains(new Count("", "budget-exhausted", 2));
    RequestPolicies later = policies.compile(FIRST, Map.of("own", own), now);
    assertThat(
            tails
                .forPolicy(Objects.requireNonNull(later.namedPolicies().get("own")))
                .canRetry(lost))
        .as("a change elsewhere fills nothing")
        .isFalse();
  }

  @Test
  void policiesThatSayNothingOfBudgetsShareOne() {
    RoutingPolicy unbound =
        policy(
            "algorithm: c3, retries: {budget-ratio: 0, min-retries-per-second: 0, max-burst: 3}");
    RequestPolicies now = policies.compile(FIRST, Map.of("a", unbound, "b", FIRST), null);
    NodeCallException lost =
        failure(NodeCallException.Kind.CONNECTION_LOST, new IOException("lost"));
    for (String name : new String[] {"a", "b", "a"}) {
      assertThat(
              tails.forPolicy(Objects.requireNonNull(now.namedPolicies().get(name))).canRetry(lost))
          .isTrue();
    }
    assertThat(tails.forPolicy(now.defaultPolicy()).canRetry(lost)).isFalse();
    RoutingPolicy wider =
        policy("hedging: {latency-quantile: 0.9, max-burst: 9}, retries: {max-burst: 5}");
    RequestPolicies later = policies.compile(wider, Map.of("a", wider), now);
    RequestPolicy named = Objects.requireNonNull(later.namedPolicies().get("a"));
    assertThat(tails.forPolicy(named).canRetry(lost)).isTrue();
    assertThat(tails.retryTokens(later.defaultPolicy())).isEqualTo(4);
    assertThat(tails.hedgeTokens(named)).isEqualTo(9);
  }

  @Test
  void allowNoRetryWhenTheRequestIsAtFault() {
    NodeCallException refused =
        failure(NodeCallException.Kind.REMOTE, new IllegalArgumentException("no such field"));
    for (int i = 0; i < 10; i++) {
      assertThat(tail.canRetry(refused)).isTrue();
    }
    assertThat(tails.retryTokens(RequestPolicy.NONE)).isEqualTo(3);
  }
}
