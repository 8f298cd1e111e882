package dev.weir.gateway.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.gateway.coordinate.RoutedTail.Count;
import dev.weir.protocol.NodeFailure;
import dev.weir.routing.NodeLoadTracker;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.internal.ShardSearchContextId;

class RoutedTailTest {
  private final RoutedTail tail = tail("retries: {share: 0, per-second: 0, burst: 3}");

  private static RoutedTail tail(String routing) {
    RoutingPolicy policy = policy(routing);
    NodeLoadTracker loads = new NodeLoadTracker(policy, () -> 0, new SplittableRandom(7));
    return new RoutedTail(loads, policy, () -> 0, () -> false);
  }

  private static RoutingPolicy policy(String routing) {
    return switch (new PolicyLoader(Map.of())
        .parse("x.yaml", "clusters: {main: {seeds: [a:1]}}\nrouting: {" + routing + "}")) {
      case LoadResult.Loaded loaded -> loaded.policy().routing();
      case LoadResult.Refused refused -> throw new AssertionError(refused.render());
    };
  }

  private static NodeFailure failure(NodeFailure.Kind kind, Exception cause) {
    return new NodeFailure(kind, "n1", cause);
  }

  @Test
  void takesATokenForEverySearchThatStartsOver() {
    Exception missing = new SearchContextMissingException(new ShardSearchContextId("", 1));
    IOException lost = new IOException("lost");
    assertThat(tail.mayStartOver(failure(NodeFailure.Kind.CONNECTION_LOST, lost))).isTrue();
    assertThat(tail.mayStartOver(failure(NodeFailure.Kind.NOT_SENT, lost))).isTrue();
    assertThat(tail.mayStartOver(failure(NodeFailure.Kind.REMOTE, missing))).isTrue();
    assertThat(tail.mayStartOver(failure(NodeFailure.Kind.CONNECTION_LOST, lost))).isFalse();
    assertThat(tail.restartsByReason())
        .containsExactlyInAnyOrder(
            new Count("", "connection-lost", 1),
            new Count("", "not-sent", 1),
            new Count("", "context-lost", 1),
            new Count("", "refused-by-budget", 1));
    assertThat(tail.retriesByReason()).isEmpty();
  }

  @Test
  void refillsABudgetOnlyWhereItsTermsDiffer() {
    NodeFailure lost = failure(NodeFailure.Kind.CONNECTION_LOST, new IOException("lost"));
    assertThat(tail.mayRetry(lost)).isTrue();
    tail.use(policy("policy: c3, retries: {share: 0, per-second: 0, burst: 3}"));
    assertThat(tail.retryTokens()).isEqualTo(2);
    assertThat(tail.hedges()).isTrue();
    tail.use(policy("hedging: {enabled: false, burst: 7}, retries: {burst: 4}"));
    assertThat(tail.retryTokens()).isEqualTo(4);
    assertThat(tail.hedgeTokens()).isEqualTo(7);
    assertThat(tail.hedges()).isFalse();
  }

  @Test
  void letsTheNextCopyBeAskedForNothingWhenTheRequestIsToBlame() {
    NodeFailure refused =
        failure(NodeFailure.Kind.REMOTE, new IllegalArgumentException("no such field"));
    for (int i = 0; i < 10; i++) {
      assertThat(tail.mayRetry(refused)).isTrue();
    }
    assertThat(tail.retryTokens()).isEqualTo(3);
  }
}
