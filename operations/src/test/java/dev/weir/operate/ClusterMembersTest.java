package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterMembersTest {
  private static final String STATE =
      """
      {"cluster_manager_node": "id-b",
       "nodes": {"id-a": {"name": "a", "ephemeral_id": "1"},
                 "id-b": {"name": "b", "ephemeral_id": "2"},
                 "id-c": {"name": "c", "ephemeral_id": "3"},
                 "id-d": {"name": "d", "ephemeral_id": "4"}},
       "metadata": {"cluster_coordination": {
           "last_committed_config": ["id-a", "id-b", "id-c"], "voting_config_exclusions": []}}}
      """;

  private static ClusterMembers members() throws OperationException {
    return ClusterMembers.of(JsonObjects.parse(STATE));
  }

  @Test
  void readTheManagerAndTheVoters() throws OperationException {
    assertThat(members().manager()).isEqualTo("b");
    assertThat(members().nodes()).hasSize(4);
    assertThat(members().votingIds()).containsExactlyInAnyOrder("id-a", "id-b", "id-c");
    assertThat(members().hasExclusions()).isFalse();
  }

  @Test
  void keepAMajorityOfVoters() throws OperationException {
    assertThat(members().keepsQuorumWithout(Set.of("a", "d"))).isTrue();
    assertThat(members().keepsQuorumWithout(Set.of("a", "b"))).isFalse();
    assertThat(new ClusterMembers(Map.of(), "", Set.of("id-a"), false).keepsQuorumWithout(Set.of()))
        .as("the only voter is away")
        .isFalse();
  }

  @Test
  void knowARestartByTheEphemeralId() throws OperationException {
    assertThat(members().hasRestarted("a", "1")).isFalse();
    assertThat(members().hasRestarted("a", "0")).isTrue();
    assertThat(members().hasRestarted("gone", "1")).isTrue();
  }
}
