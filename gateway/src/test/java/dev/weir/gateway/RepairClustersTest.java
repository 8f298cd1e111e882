package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.testkit.fixtures.TestPolicies;
import org.junit.jupiter.api.Test;

final class RepairClustersTest {
  private static GatewayPolicy policy(String authorization) {
    return TestPolicies.parse(
        """
        clusters:
          blue: {seeds: ["h:1"], authorization: %s, index-renames: {logs: logs-v2}}
          green: {seeds: ["h:2"], authorization: none}
        traffic: {weights: {green: 1}}
        """
            .formatted(authorization));
  }

  /** A gateway that authorizes refuses calls without a user, as those of a repair are. */
  @Test
  void replaceAuthorizationInTheGateway() {
    assertThat(RepairClusters.withoutGatewayAuthorization(policy("gateway")))
        .isEqualTo(policy("delegate"));
    assertThat(RepairClusters.withoutGatewayAuthorization(policy("detect")))
        .isEqualTo(policy("detect"));
  }
}
