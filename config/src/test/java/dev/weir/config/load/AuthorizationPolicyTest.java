package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.ClusterPolicy.Authorization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorizationPolicyTest {
  private static LoadResult load(String listen, String clusterKeys) {
    return new PolicyLoader(Map.of())
        .parse(
            "weir.yaml",
            "clusters:\n  main:\n    seeds: [\"10.0.0.1:9300\"]\n"
                + clusterKeys
                + "http: {listen: \""
                + listen
                + "\"}\n");
  }

  private static List<String> problems(String listen, String clusterKeys) {
    return load(listen, clusterKeys)
            instanceof LoadResult.Invalid(List<ConfigurationProblem> problems, FileReferences _)
        ? problems.stream().map(ConfigurationProblem::message).toList()
        : List.of();
  }

  @Test
  void detectByDefault() {
    assertThat(load("127.0.0.1:9200", ""))
        .isInstanceOfSatisfying(
            LoadResult.Loaded.class,
            loaded -> {
              ClusterPolicy cluster = loaded.policy().defaultCluster();
              assertThat(cluster.authorization()).isEqualTo(Authorization.DETECT);
              assertThat(cluster.pluginsWithoutFilters()).isEmpty();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:9200", "localhost:9200", "[::1]:9200"})
  void detectOnLoopback(String listen) {
    assertThat(problems(listen, "")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:9200", "[::]:9200", "10.0.9.1:9200", "weir.example.org:9200"})
  void requireADecisionWhereOtherMachinesCanReachTheGateway(String listen) {
    for (String undecided : List.of("", "    authorization: detect\n")) {
      assertThat(problems(listen, undecided))
          .singleElement()
          .asString()
          .contains(listen, "expected: none if every client may do everything", "delegate");
    }
    for (String mode : List.of("none", "delegate", "gateway")) {
      assertThat(problems(listen, "    authorization: " + mode + "\n")).isEmpty();
    }
  }

  @Test
  void delegateBehindTransportTls() {
    assertThat(problems("0.0.0.0:9200", "    transport-tls: {enabled: true}\n")).isEmpty();
  }

  @Test
  void rejectAPluginWithoutAName() {
    assertThat(problems("127.0.0.1:9200", "    plugins-without-filters: [\" \"]\n"))
        .singleElement()
        .asString()
        .contains("expected: that of a plugin");
  }
}
