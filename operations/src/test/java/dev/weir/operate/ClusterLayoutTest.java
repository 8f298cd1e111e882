package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterLayoutTest {
  private static final String STATE =
      """
      {"cluster_manager_node": "id-a",
       "nodes": {"id-a": {"name": "a", "ephemeral_id": "1"},
                 "id-b": {"name": "b", "ephemeral_id": "2"}},
       "metadata": {"cluster_coordination": {"last_committed_config": ["id-a"]},
                    "indices": {"logs": {"settings": {"index": {"write":
                        {"wait_for_active_shards": "2"}}}}}},
       "routing_table": {"indices": {"logs": {"shards": {"0": [
           {"state": "STARTED", "node": "id-a", "searchOnly": false},
           {"state": "STARTED", "node": "id-b", "searchOnly": true}]}}}},
       "snapshots": {"snapshots": [{"snapshot": "nightly"}]}}
      """;

  private static ClusterLayout layout(String details) throws OperationException {
    return ClusterLayout.of(JsonObjects.parse(STATE), JsonObjects.parse(details));
  }

  private static ClusterLayout described() throws OperationException {
    return layout(
        """
        {"nodes": {"id-a": {"host": "h", "roles": ["data"], "attributes": {"zone": "1"}},
                   "id-b": {"host": "h", "roles": ["data"], "attributes": {"zone": "1"}}}}
        """);
  }

  @Test
  void keepACopyOfEachKind() throws OperationException {
    assertThat(described().lostWithout(Set.of("a"))).hasToString("[logs[0]]");
    assertThat(described().lostWithout(Set.of("b"))).hasToString("[logs[0] (search-only)]");
  }

  @Test
  void adviseToAddACopyOfTheLostKind() throws OperationException {
    assertThat(advice("a"))
        .contains("such as logs[0]: give their indices a replica (logs)")
        .doesNotContain("search_replicas");
    assertThat(advice("b"))
        .contains("such as logs[0] (search-only): raise index.number_of_search_replicas of their")
        .doesNotContain("give their indices a replica");
  }

  private static String advice(String node) throws OperationException {
    return Refusal.texts(SafetyCheck.ofLosses(OperationKind.WINDOW, List.of(node), described()))
        .toString();
  }

  @Test
  void readWhatWritesWaitForAndWhatSnapshotsRun() throws OperationException {
    assertThat(described().writesBlockedWithout(Set.of("a"))).containsExactly("logs");
    assertThat(described().writesBlockedWithout(Set.of("c"))).isEmpty();
    assertThat(described().snapshots()).containsExactly("nightly");
  }

  @Test
  void nameTheNodesThatDoNotAnswer() throws OperationException {
    ClusterLayout layout =
        layout(
            "{\"nodes\": {\"id-a\": {\"host\": \"h\", \"roles\": [\"data\"],"
                + " \"attributes\": {\"zone\": \"1\"}}}}");
    assertThat(described().silentNodes()).isEmpty();
    assertThat(layout.silentNodes()).containsExactly("b");
    assertThat(ZoneWeights.wholeZone(layout, Set.of("a"), "zone")).isEmpty();
    assertThat(NodeCommand.isPlain(layout.node("b"))).isFalse();
    OperationRequest all =
        OperationRequest.of(OperationKind.ROLLING_RESTART, List.of(), OperationOptions.DEFAULTS);
    assertThatThrownBy(() -> all.batches(layout))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("node b does not answer GET /_nodes");
  }
}
