package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SharedSecuredCluster;
import dev.weir.testkit.secured.compare.SecuredComparison;
import dev.weir.testkit.secured.compare.SecuredComparisonReport;
import org.junit.jupiter.api.Test;

/**
 * Every user of a secured cluster gets from the gateway what a node gives; the short form of {@code
 * ./weir bench secured}.
 */
@Drawn(oneIn = 4)
class SecuredEquivalenceIT {
  private static final int REQUESTS = 400;
  private static final int DOCUMENTS = 60;

  @Test
  void giveEachUserTheResponsesOfANode() {
    SecuredCluster cluster = SharedSecuredCluster.get();
    long seed = TestSeed.random(SecuredEquivalenceIT.class).nextLong();
    try (SecuredGateway gateway = SecuredGateway.inFrontOf(cluster)) {
      SecuredComparisonReport report =
          new SecuredComparison(cluster, gateway.uri(), _ -> {}).run(seed, 1, REQUESTS, DOCUMENTS);
      assertThat(report.requests()).isGreaterThanOrEqualTo(REQUESTS);
      assertThat(report.differences()).as(report.toString()).isEmpty();
      assertThat(report.leaks()).as(report.toString()).isEmpty();
    }
  }
}
