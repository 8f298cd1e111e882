package dev.weir.gateway.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.testkit.fixtures.TestPolicies;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChosenClusterTest {
  private static final String TWO =
      "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n";

  private final GatewayPolicy one = TestPolicies.parse("clusters: {main: {seeds: [\"h:1\"]}}");
  private final GatewayPolicy two = TestPolicies.parse(TWO + "traffic: {canary-header: X-Cluster}");

  @Test
  void nameNoClusterWhereThereIsOne() throws UsageException {
    for (String named : new String[] {"", "main"}) {
      ChosenCluster chosen = ChosenCluster.of(one, named);
      assertThat(chosen.name()).isEmpty();
      assertThat(chosen.header()).isEmpty();
    }
  }

  @Test
  void nameTheClusterWhereThereAreSeveral() throws UsageException {
    ChosenCluster chosen = ChosenCluster.of(two, "green");
    assertThat(chosen.name()).isEqualTo("green");
    assertThat(chosen.header()).isEqualTo(Map.of("X-Cluster", "green"));
  }

  @Test
  void refuseAnUnknownClusterAndNone() {
    assertThatThrownBy(() -> ChosenCluster.of(one, "blue"))
        .isInstanceOf(UsageException.class)
        .hasMessage("got cluster blue (expected: one of main)");
    assertThatThrownBy(() -> ChosenCluster.of(two, ""))
        .isInstanceOf(UsageException.class)
        .hasMessage("got no cluster (expected: one of blue, green)");
  }

  @Test
  void sayWhatToDoWithoutAHeader() throws UsageException {
    ChosenCluster chosen = ChosenCluster.of(TestPolicies.parse(TWO), "blue");
    assertThatThrownBy(chosen::header)
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("set it to a name such as X-Weir-Cluster");
    assertThatThrownBy(() -> chosen.headerOr("ask a node"))
        .hasMessageEndingWith("can't name the cluster: ask a node");
  }
}
