package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SharedSecuredCluster;
import dev.weir.testkit.secured.compare.SecuredComparison;
import dev.weir.testkit.secured.compare.SecuredComparisonReport;
import org.junit.jupiter.api.Test;

/** With {@code authorization: gateway}, generated requests of every user get a node's responses. */
@Drawn(oneIn = 4)
class GatewayEquivalenceIT {
  private static final int REQUESTS = Integer.getInteger("weir.test.requests", 400);
  private static final int DOCUMENTS = 60;

  private final SecuredCluster cluster = SharedSecuredCluster.get();

  @Test
  void giveEachUserTheResponsesOfANode() {
    compare(REQUESTS);
  }

  @Test
  void giveEachUserTheResponsesOfANodeThatLeavesForbiddenIndicesOut() {
    cluster.setDoNotFailOnForbidden(true);
    try {
      compare(REQUESTS / 2);
    } finally {
      cluster.setDoNotFailOnForbidden(false);
    }
  }

  private void compare(int requests) {
    long seed = TestSeed.random(GatewayEquivalenceIT.class).nextLong();
    try (AuthorizingGateway gateway = new AuthorizingGateway(cluster, "")) {
      SecuredComparisonReport report =
          new SecuredComparison(cluster, gateway.bed().uri(), _ -> {})
              .run(seed, 1, requests, DOCUMENTS);
      if (Boolean.getBoolean("weir.test.print")) {
        gateway.printRequests();
      }
      assertThat(report.differences()).as(report.toString()).isEmpty();
      assertThat(report.leaks()).as(report.toString()).isEmpty();
      assertThat(gateway.authorized()).isGreaterThan(requests / 5);
      assertThat(gateway.metric("weir_authorization_unnamed_calls_total")).isZero();
      System.out.println(
          "coordinated " + gateway.authorized() + " of " + report.requests() + " requests");
    }
  }
}
