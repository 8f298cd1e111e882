package dev.weir.gateway.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.authorization.SecurityVerdict.ClusterEvidence;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecurityVerdictTest {
  private static final ClusterEvidence NOTHING = new ClusterEvidence(false, false, false);
  private static final KnownPlugins KNOWN = new KnownPlugins(Set.of("our-analysis"));
  private static final NodeEvidence OPEN =
      new NodeEvidence("open", ProbeResult.Open.SERVED, Set.of("analysis-icu", "our-analysis"));

  private static NodeEvidence node(ProbeResult probe, String... plugins) {
    return new NodeEvidence("other", probe, Set.of(plugins));
  }

  private static SecurityVerdict verdict(ClusterEvidence cluster, NodeEvidence... nodes) {
    return SecurityVerdict.of(cluster, List.of(nodes), KNOWN);
  }

  private static void assertDelegated(SecurityVerdict verdict, String reason) {
    assertThat(verdict).isEqualTo(new SecurityVerdict(AuthorizationMode.DELEGATE, reason));
  }

  @Test
  void coordinateOnlyWhereNodesServeEverybody() {
    assertThat(verdict(NOTHING, OPEN, OPEN))
        .isEqualTo(
            new SecurityVerdict(
                AuthorizationMode.NONE, "the nodes serve requests without credentials"));
  }

  @Test
  void delegateByTheClustersOwnEvidence() {
    assertDelegated(
        verdict(new ClusterEvidence(true, false, false), OPEN), "transport-tls is enabled");
    assertDelegated(
        verdict(new ClusterEvidence(false, true, false), OPEN), "rest-tls has a certificate");
    assertDelegated(
        verdict(new ClusterEvidence(false, false, true), OPEN),
        "the cluster has the index of the security plugin");
  }

  @Test
  void takeTheStrictestNode() {
    assertDelegated(
        verdict(NOTHING, OPEN, node(new ProbeResult.Secured(403))),
        "node other answered 403 to a request without credentials");
    assertDelegated(
        verdict(NOTHING, OPEN, node(ProbeResult.Open.SERVED, "opensearch-security")),
        "node other has the security plugin");
    assertDelegated(
        verdict(NOTHING, OPEN, node(ProbeResult.Open.SERVED, "readonlyrest")),
        "node other has the plugin readonlyrest, which may filter requests");
    assertDelegated(
        verdict(NOTHING, OPEN, node(new ProbeResult.Unclear("answered 503"))),
        "node other answered 503 to a request without credentials");
  }

  @Test
  void delegateWhileNothingIsKnown() {
    assertDelegated(verdict(NOTHING), "no node has been probed yet");
    assertDelegated(
        verdict(NOTHING, new NodeEvidence("a", null, Set.of())), "no node has been probed yet");
    assertDelegated(
        verdict(NOTHING, node(new ProbeResult.Unreachable("no response"))),
        "no node is known to serve requests without credentials");
    assertDelegated(
        verdict(NOTHING, new NodeEvidence("a", ProbeResult.Open.SERVED, null)),
        "no node is known to serve requests without credentials");
  }

  @Test
  void leaveOutNodesThatNoRequestCanReach() {
    NodeEvidence joining = new NodeEvidence("joining", null, null);
    NodeEvidence frozen = node(new ProbeResult.Unreachable("no response"));
    assertThat(verdict(NOTHING, joining, OPEN, frozen).mode()).isEqualTo(AuthorizationMode.NONE);
  }

  @Test
  void countAPluginOfANodeThatCannotBeReached() {
    assertDelegated(
        verdict(NOTHING, OPEN, node(new ProbeResult.Unreachable("no response"), "wrapper")),
        "node other has the plugin wrapper, which may filter requests");
  }

  @ParameterizedTest
  @CsvSource({
    "analysis-icu, true",
    "our-analysis, true",
    "weir-data-node, true",
    "dev.weir.node.WeirPlugin, true",
    "org.opensearch.painless.PainlessModulePlugin, true",
    "org.opensearch.transport.Netty4ModulePlugin, true",
    "opensearch-security, false",
    "org.opensearch.security.OpenSearchSecurityPlugin, false",
    "identity-shiro, false",
    "analysis-icu-filters, false",
    "com.example.Wrapper, false",
  })
  void knowPluginsThatFilterNothing(String plugin, boolean known) {
    assertThat(KNOWN.unknown(Set.of(plugin)).isEmpty()).isEqualTo(known);
  }
}
