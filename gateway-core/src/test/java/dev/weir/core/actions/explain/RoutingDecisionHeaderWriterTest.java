package dev.weir.core.actions.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

final class RoutingDecisionHeaderWriterTest {
  private static final int MAX_CHARACTERS = 8 << 10;

  private static Map<String, Object> shard(String index, String node) {
    return Map.of(
        "index",
        index,
        "shard",
        3,
        "score_unit",
        index.equals("plain") ? "" : "ns",
        "candidates",
        List.of(Map.of("name", node, "state", "scored", "score", 1234.5678)),
        "calls",
        List.of(
            Map.of(
                "name",
                node,
                "phase",
                "query",
                "reason",
                "hedge",
                "outcome",
                "answered",
                "took_ms",
                1.5)));
  }

  private static Map<String, Object> pruned(String index) {
    return Map.of(
        "index", index, "shards", 2, "field", "@timestamp", "min", "2026-01-01", "max", "2026-02");
  }

  private static Map<String, Object> decisions(List<?> shards, List<?> pruned) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("request_id", "12");
    all.put("shards", shards);
    if (!pruned.isEmpty()) {
      all.put("pruned_indices", pruned);
    }
    return all;
  }

  private static Map<String, Object> read(String json) {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, json, true);
  }

  @Test
  void writesCopiesCallsAndPrunedIndices() {
    String json =
        RoutingDecisionHeaderWriter.toJson(
            decisions(List.of(shard("logs", "n1")), List.of(pruned("old"))));
    assertThat(json)
        .isEqualTo(
            "{\"request_id\":\"12\",\"shards\":[{\"index\":\"logs\",\"shard\":3,\"score_unit\":\"ns\",\"copies\":["
                + "{\"node\":\"n1\",\"state\":\"scored\",\"score\":1235}],\"calls\":["
                + "{\"node\":\"n1\",\"phase\":\"query\",\"reason\":\"hedge\","
                + "\"outcome\":\"answered\",\"took_ms\":1.5}]}],\"pruned_indices\":["
                + "{\"index\":\"old\",\"shards\":2,\"field\":\"@timestamp\","
                + "\"min\":\"2026-01-01\",\"max\":\"2026-02\"}]}");
  }

  @Test
  void omitsTheUnitOfAPlainNumber() {
    assertThat(
            RoutingDecisionHeaderWriter.toJson(decisions(List.of(shard("plain", "n1")), List.of())))
        .contains("\"shard\":3,\"copies\":[");
  }

  @Test
  void isAsciiWhateverNodesAreCalled() {
    String name = "kn\u00f6ten \"\\\r\n\u0001\uD83D\uDE00";
    String json =
        RoutingDecisionHeaderWriter.toJson(decisions(List.of(shard("logs", name)), List.of()));
    assertThat(json).matches("[ -~]*");
    List<?> shards = (List<?>) read(json).get("shards");
    assertThat(shards).asString().contains(name);
  }

  @Test
  void writesRequestsWithoutShards() {
    assertThat(RoutingDecisionHeaderWriter.toJson(decisions(List.of(), List.of())))
        .isEqualTo("{\"request_id\":\"12\",\"shards\":[]}");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 30, 33, 34, 35, 100, 9_000})
  void fitsIntoAHeaderHoweverLongNamesAre(int nameLength) {
    String name = "n".repeat(nameLength);
    for (int shards : new int[] {0, 1, 40, 300}) {
      for (int pruned : new int[] {0, 1, 200}) {
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
          all.add(shard(name, "n1"));
        }
        List<Object> left = new ArrayList<>();
        for (int i = 0; i < pruned; i++) {
          left.add(pruned(name));
        }
        String json = RoutingDecisionHeaderWriter.toJson(decisions(all, left));
        assertThat(json).hasSizeLessThanOrEqualTo(MAX_CHARACTERS);
        assertThat(read(json)).containsKeys("request_id", "shards");
        List<?> written = (List<?>) Objects.requireNonNull(read(json).get("shards"));
        if (written.size() < shards) {
          assertThat(written.getLast()).isEqualTo("...");
        }
      }
    }
  }

  @Test
  void neverExceedsTheHeaderWhereShardsFillItToTheLastCharacter() {
    for (int length = 1; length < 400; length++) {
      List<Object> shards = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        shards.add(shard("s".repeat(length), "n"));
      }
      String json = RoutingDecisionHeaderWriter.toJson(decisions(shards, List.of(pruned("old"))));
      assertThat(json).as("names of %d", length).hasSizeLessThanOrEqualTo(MAX_CHARACTERS);
    }
  }
}
