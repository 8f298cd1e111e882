package dev.weir.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.advice.finding.MendStep;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.advice.snapshot.SnapshotReader;
import dev.weir.advice.snapshot.TenantBounds;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SnapshotReaderTest {
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(5000));

  private final Map<ApiSource, String> bodies = new EnumMap<>(ApiSource.class);

  private InputStream answer(String path) throws IOException {
    for (Map.Entry<ApiSource, String> body : bodies.entrySet()) {
      if (body.getKey().path().equals(path)) {
        return new ByteArrayInputStream(body.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    throw new IOException("got status 403 (expected: 200)");
  }

  private ClusterSnapshot read() throws Exception {
    return new SnapshotReader(this::answer, this::answer, CLOCK).read();
  }

  @Test
  void readIndicesFromTheirApis() throws Exception {
    bodies.put(
        ApiSource.INDICES,
        """
        [{"index":"a-1","status":"open","pri":"2","rep":"1","docs.count":"7","docs.deleted":"3",
        "pri.store.size":"900","pri.segments.count":"4","pri.indexing.index_total":"10"},
        {"index":"a-2","status":"close","pri":"1","rep":"0","docs.count":null}]
        """);
    bodies.put(
        ApiSource.INDEX_SETTINGS, "{\"a-1\":{\"settings\":{\"index.blocks.write\":\"true\"}}}");
    bodies.put(
        ApiSource.MAPPINGS,
        """
        {"a-1":{"mappings":{"dynamic":"strict","properties":{
        "t":{"type":"text","fields":{"raw":{"type":"keyword"}}},
        "o":{"properties":{"x":{"type":"long"}}}}}}}
        """);
    bodies.put(
        ApiSource.ALIASES,
        """
        {"a-1":{"aliases":{"a":{"is_write_index":false}}},"a-2":{"aliases":{"a":{"is_write_index":true}}}}
        """);
    bodies.put(
        ApiSource.DATA_STREAMS,
        "{\"data_streams\":[{\"indices\":[{\"index_name\":\"d-1\"},{\"index_name\":\"d-2\"}]}]}");
    ClusterSnapshot snapshot = read();
    IndexFacts first = snapshot.indices().getFirst();
    assertThat(first.size()).isEqualTo(new IndexFacts.Size(2, 1, 7, 3, 900, 4, 10));
    assertThat(first.mapping()).isEqualTo(new IndexFacts.Mapping(4, "strict"));
    assertThat(first.rolledOver()).isTrue();
    assertThat(first.setting("index.blocks.write", "")).isEqualTo("true");
    assertThat(snapshot.indices().getLast().open()).isFalse();
    assertThat(snapshot.indices().getLast().rolledOver()).isFalse();
  }

  @Test
  void regardIndicesAsRolledOverWhereAnAliasWritesToAnother() throws Exception {
    bodies.put(
        ApiSource.INDICES,
        """
        [{"index":"products-2"},{"index":"shops"},{"index":"logs-1"},{"index":"logs-2"},
        {"index":"logs-3"},{"index":"other-1"},{"index":"other-2"}]
        """);
    bodies.put(
        ApiSource.ALIASES,
        """
        {"products-2":{"aliases":{"products":{},"everything":{"is_write_index":false}}},
        "shops":{"aliases":{"everything":{}}},
        "logs-1":{"aliases":{"logs":{"is_write_index":false},"all-logs":{}}},
        "logs-2":{"aliases":{"logs":{"is_write_index":false},"all-logs":{},"second":{}}},
        "logs-3":{"aliases":{"logs":{"is_write_index":true},"all-logs":{}}},
        "other-1":{"aliases":{"logs":{"is_write_index":false},"other":{"is_write_index":true}}},
        "other-2":{"aliases":{"logs":{},"other":{"is_write_index":false}}}}
        """);
    assertThat(read().indices())
        .filteredOn(IndexFacts::rolledOver)
        .extracting(IndexFacts::name)
        .containsExactly("logs-1", "other-2");
  }

  @Test
  void readHowLongCopiesAreOpen() throws Exception {
    bodies.put(
        ApiSource.SHARDS,
        """
        [{"index":"a","shard":"0","prirep":"p","state":"STARTED","node":"n1","store":"9",
        "search.query_total":"700"},
        {"index":"a","shard":"0","prirep":"r","state":"RELOCATING","node":"n2 -> 10.0.0.3 id n3"},
        {"index":"a","shard":"1","prirep":"p","state":"STARTED","node":"n1"},
        {"index":"a","shard":"1","prirep":"r","state":"INITIALIZING","node":"n2"},
        {"index":"a","shard":"2","prirep":"p","state":"STARTED","node":"n2"},
        {"index":"a","shard":"2","prirep":"r","state":"UNASSIGNED","node":null},
        {"index":"b","shard":"0","prirep":"p","state":"STARTED","node":"n1"}]
        """);
    bodies.put(
        ApiSource.RECOVERIES,
        """
        [{"index":"a","shard":"0","target_node":"n1","stop_time_millis":"1000"},
        {"index":"a","shard":"0","target_node":"n2","stop_time_millis":"2000"},
        {"index":"a","shard":"0","target_node":"n3","stop_time_millis":"0"},
        {"index":"a","shard":"1","target_node":"n1","stop_time_millis":"5001"},
        {"index":"a","shard":"1","target_node":"n2","stop_time_millis":"0"},
        {"index":"a","shard":"2","target_node":"n2","stop_time_millis":"5000"}]
        """);
    assertThat(read().shards())
        .extracting(ShardFacts::openMillis)
        .containsExactly(4000L, 3000L, -1L, -1L, 0L, -1L, -1L);
    assertThat(read().shards().getFirst())
        .isEqualTo(new ShardFacts("a", 0, true, true, "n1", 9, 700, 4000));
  }

  @Test
  void omitTheCheckOfHotShardsWithoutRecoveries() throws Exception {
    bodies.put(ApiSource.NODES, "{}");
    bodies.put(ApiSource.INDICES, "[]");
    bodies.put(ApiSource.SHARDS, "[]");
    assertThat(Advisor.ofAllChecks().advise(read()).notRun())
        .containsEntry("hot-shard", "GET /_cat/recovery: got status 403 (expected: 200)");
    bodies.put(ApiSource.RECOVERIES, "[]");
    assertThat(Advisor.ofAllChecks().advise(read()).notRun()).doesNotContainKey("hot-shard");
  }

  @Test
  void readWhatBoundsTenants() throws Exception {
    bodies.put(ApiSource.CLUSTER_SETTINGS, "{}");
    bodies.put(
        ApiSource.GATEWAY_CONFIG,
        """
        {"admission":{"tenants":{"weights":{"heavy":0.5}},
        "pacing":{"rules":[{"name":"gold","tenants":["gold-*"]}]}}}
        """);
    TenantBounds some = read().traffic().bounds();
    assertThat(some.cover("heavy")).isTrue();
    assertThat(some.cover("gold-1")).isTrue();
    assertThat(some.cover("silver")).isFalse();
    bodies.put(
        ApiSource.GATEWAY_CONFIG,
        "{\"admission\":{\"pacing\":{\"rules\":[{\"name\":\"all\",\"tenants\":[]}]}}}");
    assertThat(read().traffic().bounds().cover("silver")).as("a limit of all").isTrue();
  }

  @Test
  void nameChecksThatCanNotRun() throws Exception {
    bodies.put(ApiSource.CLUSTER_SETTINGS, "{}");
    bodies.put(ApiSource.SHARDS, "[]");
    Advice advice = Advisor.ofAllChecks().advise(read());
    assertThat(advice.findings()).isEmpty();
    assertThat(advice.notRun())
        .containsEntry(
            "manager-nodes", "GET /_nodes/jvm,process,plugins: got status 403 (expected: 200)")
        .doesNotContainKeys("allocation", "logger-levels");
    assertThat(advice.checks()).isEqualTo(CheckCatalog.all().size() - advice.notRun().size());
  }

  @Test
  void failWithoutACluster() {
    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("can't read the cluster: got status 403");
  }

  @Test
  void reportAResponseThatIsNoJson() throws Exception {
    bodies.put(ApiSource.CLUSTER_SETTINGS, "{}");
    bodies.put(ApiSource.SHARDS, "<html>");
    assertThat(read().unavailable().get(ApiSource.SHARDS)).contains("no JSON");
    bodies.put(ApiSource.SHARDS, "[{\"index\":");
    assertThat(read().unavailable().get(ApiSource.SHARDS)).isNotEmpty();
  }

  @Test
  void quoteCommandsForAShell() {
    CommandFormatter commands = new CommandFormatter("http://localhost:9200", "-u \"$U:$P\"");
    assertThat(commands.format(new MendStep.Call("PUT", "/it's/_settings", "{\"a\": 1}")))
        .isEqualTo(
            "curl -g -sS --fail-with-body -X PUT -u \"$U:$P\""
                + " 'http://localhost:9200/it'\\''s/_settings'"
                + " -H 'Content-Type: application/json' -d '{\"a\": 1}'");
    assertThat(commands.format(new MendStep.Call("POST", "/it/_shrink/new", "", true)))
        .isEqualTo(
            "curl -g -sS --fail-with-body --retry 120 --retry-delay 5 -X POST -u \"$U:$P\""
                + " 'http://localhost:9200/it/_shrink/new'");
  }

  @Test
  void writeTextAndATree() {
    SnapshotFixture fixture = SnapshotFixture.healthy();
    for (int i = 0; i < 12; i++) {
      fixture.index("single-" + i, 1, 0, 1, Map.of());
    }
    Advice advice = Advisor.ofAllChecks().advise(fixture.snapshot());
    AdviceWriter writer = new AdviceWriter(new CommandFormatter("http://localhost:9200", ""));
    assertThat(writer.toText(advice))
        .startsWith("PROBLEM  no-replicas  single-0\n  found:  0 replicas of 1 shards")
        .contains("curl -g -sS --fail-with-body -X PUT 'http://localhost:9200/single-0/_settings'")
        .contains("no-replicas: 2 more, no worse than these")
        .endsWith(CheckCatalog.all().size() + " checks, 10 findings\n");
    assertThat(advice.hasProblems()).isTrue();
    assertThat(writer.toTree(advice)).containsKeys("checks", "findings", "omitted", "not_run");
  }
}
