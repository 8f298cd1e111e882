package dev.weir.advice;

import static dev.weir.advice.SnapshotFixture.GB;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardFacts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IndexChecksTest {
  private static SnapshotFixture with(int primaries, int replicas, long bytes, String... setting) {
    Map<String, String> settings = setting.length == 0 ? Map.of() : Map.of(setting[0], setting[1]);
    return SnapshotFixture.healthy().index("one", primaries, replicas, bytes, settings);
  }

  private static Finding only(List<Finding> findings) {
    assertThat(findings).hasSize(1);
    return findings.getFirst();
  }

  private static IndexFacts.Size sized(
      IndexFacts.Size size, long documents, long deleted, long segments, long indexed) {
    return new IndexFacts.Size(
        size.shards(), size.replicas(), documents, deleted, size.bytes(), segments, indexed);
  }

  @Test
  void findIndicesWithoutReplicas() {
    assertThat(only(with(1, 0, 1).run("no-replicas")).severity()).isEqualTo(Severity.PROBLEM);
    assertThat(with(1, 1, 1).run("no-replicas")).isEmpty();
    assertThat(with(1, 0, 1, "index.auto_expand_replicas", "0-1").run("no-replicas")).isEmpty();
    assertThat(with(1, 0, 1, "index.store.type", "remote_snapshot").run("no-replicas")).isEmpty();
    SnapshotFixture single = with(1, 0, 1);
    single.nodes.subList(1, 3).clear();
    assertThat(single.run("no-replicas")).as("one node").isEmpty();
  }

  @Test
  void findCopiesWithoutANode() {
    SnapshotFixture fixture = with(1, 3, 1);
    fixture.shards.add(new ShardFacts("one", 0, false, false, "", 0, 0, -1));
    Finding tooMany = only(fixture.run("unassigned-copies"));
    assertThat(tooMany.figure()).contains("3 replicas need 4 data nodes, of 3");
    assertThat(tooMany.severity()).isEqualTo(Severity.ADVICE);
    SnapshotFixture missing = with(1, 1, 1);
    missing.shards.add(new ShardFacts("one", 0, true, false, "", 0, 0, -1));
    assertThat(only(missing.run("unassigned-copies")).severity()).isEqualTo(Severity.PROBLEM);
    SnapshotFixture starting = with(1, 1, 1);
    starting.shards.add(new ShardFacts("one", 0, false, false, "node-1", 0, 0, -1));
    assertThat(starting.run("unassigned-copies")).as("a copy that is being recovered").isEmpty();
  }

  @Test
  void explainThePrimaryThatIsMissing() {
    SnapshotFixture fixture = with(4, 1, 1);
    fixture.shards.add(new ShardFacts("one", 0, false, false, "", 0, 0, -1));
    fixture.shards.add(new ShardFacts("one", 3, true, false, "", 0, 0, -1));
    Finding found = only(fixture.run("unassigned-copies"));
    assertThat(found.severity()).isEqualTo(Severity.PROBLEM);
    assertThat(found.mend().steps().getLast().toString())
        .contains("{\"index\": \"one\", \"shard\": 3, \"primary\": true}");
  }

  @Test
  void askForNoFewerReplicasWithoutADataNode() {
    SnapshotFixture fixture = with(1, 1, 1);
    fixture.nodes.clear();
    fixture.shards.add(new ShardFacts("one", 0, false, false, "", 0, 0, -1));
    Finding found = only(fixture.run("unassigned-copies"));
    assertThat(found.figure()).isEqualTo("1 copies on no node (expected: none)");
    assertThat(path(found, 0)).startsWith("/_cluster/reroute?");
  }

  @Test
  void findSegmentsOfIndicesThatAreNotWritten() {
    SnapshotFixture written = with(2, 1, 1).lastSize(size -> sized(size, 10, 0, 11, 0));
    assertThat(written.run("segments")).isEmpty();
    assertThat(only(written.lastRolledOver().run("segments")).figure()).startsWith("11 segments");
    SnapshotFixture few =
        with(2, 1, 1, "index.blocks.write", "true").lastSize(size -> sized(size, 10, 0, 10, 0));
    assertThat(few.run("segments")).isEmpty();
    SnapshotFixture locked =
        with(2, 1, 1, "index.blocks.read_only", "true").lastSize(size -> sized(size, 10, 0, 11, 0));
    assertThat(only(locked.run("segments")).mend().steps()).hasSize(3);
  }

  @Test
  void findDeletedDocuments() {
    assertThat(deleted(20_001, 10_000).run("deleted-documents")).as("below a third").isEmpty();
    assertThat(only(deleted(19_000, 10_000).run("deleted-documents")).figure())
        .startsWith("10000 deleted documents beside 19000 others, 34 %");
    assertThat(deleted(1000, 9999).run("deleted-documents")).as("few").isEmpty();
  }

  private static SnapshotFixture deleted(long documents, long deleted) {
    return with(1, 1, 1).lastSize(size -> sized(size, documents, deleted, 1, 0));
  }

  @Test
  void findCodecsOfLargeIndices() {
    assertThat(with(1, 1, GB).run("codec")).as("written").isEmpty();
    assertThat(with(1, 1, GB - 1).lastRolledOver().run("codec")).as("small").isEmpty();
    Finding found = only(with(1, 1, GB).lastRolledOver().run("codec"));
    assertThat(found.mend().steps().get(1))
        .isEqualTo(new MendStep.Call("PUT", "/one/_settings", "{\"index.codec\": \"weir_zstd\"}"));
    SnapshotFixture stock = with(1, 1, GB).lastRolledOver();
    stock.nodes.replaceAll(node ->
        new NodeFacts(
            node.name(),
            node.host(),
            node.version(),
            node.roles(),
            node.attributes(),
            Set.of(),
            node.memory(),
            node.disk()));
    assertThat(only(stock.run("codec")).figure()).contains("best_compression");
    assertThat(with(1, 1, GB, "index.codec", "weir_zstd").lastRolledOver().run("codec")).isEmpty();
  }

  @Test
  void findTinyAndLargeShards() {
    assertThat(with(4, 1, 4).run("tiny-shards")).isEmpty();
    assertThat(with(5, 1, 5 * GB).run("tiny-shards")).isEmpty();
    Finding tiny = only(with(6, 1, 6 * GB - 6).run("tiny-shards"));
    assertThat(tiny.figure()).startsWith("6 primaries of");
    assertThat(tiny.mend().steps()).hasSize(4).noneMatch(IndexChecksTest::deletes);
    assertThat(path(tiny, 3)).isEqualTo("/_cat/indices/one,one-shrunk?v&h=index,health,docs.count");
    assertThat(tiny.mend().note()).contains("\"remove_index\": {\"index\": \"one\"}");
    Finding two = only(with(30, 1, 29 * GB).run("tiny-shards"));
    assertThat(two.mend().steps().get(2).toString()).contains("number_of_shards\": 2,");
    assertThat(with(31, 1, 30 * GB).run("tiny-shards")).as("a prime number").isEmpty();
    assertThat(named(".ds-logs-000001", 6, 1).run("tiny-shards")).isEmpty();
    assertThat(with(1, 1, 50 * GB).run("large-shards")).isEmpty();
    assertThat(only(with(1, 1, 51 * GB).run("large-shards")).figure()).startsWith("51gb");
  }

  @Test
  void shrinkOnANodeWithRoom() {
    SnapshotFixture fixture = with(6, 1, 6 * GB - 6);
    fixture.replaceNode(0, withFreeBytes("node-1", 6 * GB - 6));
    fixture.replaceNode(1, withFreeBytes("node-2", -1));
    fixture.shards.removeIf(shard -> shard.index().equals("one") && shard.node().equals("node-3"));
    Finding found = only(fixture.run("tiny-shards"));
    assertThat(found.mend().steps().getFirst().toString()).contains("\"node-3\"");
    assertThat(found.mend().note()).contains("To go back before that, set both settings");
    fixture.replaceNode(2, withFreeBytes("node-3", GB));
    Finding full = only(fixture.run("tiny-shards"));
    assertThat(full.mend().steps()).isEmpty();
    assertThat(full.mend().note()).startsWith("No data node is known to have room");
  }

  @Test
  void liftTheBlockThatRefusesTheCalls() {
    String key = "index.blocks.read_only";
    MendStep lift = new MendStep.Call("PUT", "/one/_settings", "{\"" + key + "\": null}");
    MendStep block = new MendStep.Call("PUT", "/one/_settings", "{\"" + key + "\": true}");
    Finding codec = only(with(1, 1, 2 * GB, key, "true").run("codec"));
    assertThat(codec.mend().steps()).hasSize(6).startsWith(lift).endsWith(block);
    Finding tiny = only(with(6, 1, 6, key, "true").run("tiny-shards"));
    assertThat(tiny.mend().steps())
        .as("the block would refuse the swap")
        .hasSize(5)
        .startsWith(lift)
        .doesNotContain(block);
    assertThat(tiny.mend().note())
        .endsWith("At the end, set it to true for one-shrunk, or for one if you go back.");
    assertThat(only(with(6, 1, 6).run("tiny-shards")).mend().note()).doesNotContain(key);
  }

  private static NodeFacts withFreeBytes(String name, long free) {
    NodeFacts node = SnapshotFixture.node(name);
    return new NodeFacts(
        name,
        node.host(),
        node.version(),
        node.roles(),
        node.attributes(),
        node.plugins(),
        node.memory(),
        new NodeFacts.Disk(100 * GB, free));
  }

  private static SnapshotFixture named(String name, int primaries, long bytes) {
    return SnapshotFixture.healthy().index(name, primaries, 1, bytes, Map.of());
  }

  private static boolean deletes(MendStep step) {
    return step instanceof MendStep.Call call && call.method().equals("DELETE");
  }

  private static String path(Finding finding, int step) {
    return finding.mend().steps().get(step) instanceof MendStep.Call call ? call.path() : "";
  }

  @Test
  void adviseRolloverForLargeBackingIndices() {
    Finding backing = only(named(".ds-logs-000001", 1, 51 * GB).run("large-shards"));
    assertThat(backing.mend().steps()).isEmpty();
    assertThat(backing.mend().note()).startsWith("Roll the data stream over");
    assertThat(only(named("one", 1, 51 * GB).run("large-shards")).mend().note())
        .startsWith("Stop writing first: the first call rejects all writes. Then move the aliases");
  }

  @Test
  void encodeNamesInPaths() {
    Finding large = only(named("%2a", 1, 51 * GB).run("large-shards"));
    assertThat(path(large, 0)).isEqualTo("/%252a/_settings");
    assertThat(path(large, 1)).isEqualTo("/%252a/_split/%252a-split");
    Finding tiny = only(named("%2a", 6, 1).run("tiny-shards"));
    assertThat(path(tiny, 3)).startsWith("/_cat/indices/%252a,%252a-shrunk?");
  }

  @Test
  void findClosedIndices() {
    SnapshotFixture closed =
        with(2, 1, 1)
            .last(index ->
                new IndexFacts(
                    index.name(), false, index.size(), index.settings(), index.mapping(), false));
    assertThat(only(closed.run("closed-indices")).figure()).startsWith("4 copies");
  }

  @Test
  void findBlocks() {
    String flood = "index.blocks.read_only_allow_delete";
    assertThat(only(with(1, 1, 1, flood, "true").run("write-blocks")).severity())
        .isEqualTo(Severity.PROBLEM);
    assertThat(with(1, 1, 1, flood, "false").run("write-blocks")).isEmpty();
    assertThat(
            only(with(1, 1, 1).persistent("cluster.blocks.read_only", "true").run("write-blocks"))
                .subject())
        .isEqualTo("cluster.blocks.read_only");
    String create = "cluster.blocks.create_index";
    assertThat(only(with(1, 1, 1).persistent(create, "true").run("write-blocks")).reason())
        .startsWith("No index can be created");
  }

  @Test
  void findRefreshIntervals() {
    String key = "index.refresh_interval";
    assertThat(only(with(1, 1, 1, key, "-1").run("refresh-interval")).severity())
        .isEqualTo(Severity.ADVICE);
    assertThat(with(1, 1, 1, key, "1s").run("refresh-interval")).as("few writes").isEmpty();
    assertThat(only(busy("-1").run("refresh-interval")).severity()).isEqualTo(Severity.ADVICE);
    assertThat(only(busy("1s").run("refresh-interval")).severity()).isEqualTo(Severity.HINT);
    for (String frequent : List.of("2000ms", "1500ms", "250ms", "2s")) {
      assertThat(busy(frequent).run("refresh-interval")).as(frequent).hasSize(1);
    }
    for (String rare : List.of("2001ms", "3s", "1m", "0s", "nonsense")) {
      assertThat(busy(rare).run("refresh-interval")).as(rare).isEmpty();
    }
    SnapshotFixture usual = with(1, 1, 1).lastSize(size -> sized(size, 1, 0, 1, 1_000_000));
    assertThat(usual.run("refresh-interval")).as("the default").isEmpty();
  }

  private static SnapshotFixture busy(String interval) {
    return with(1, 1, 1, "index.refresh_interval", interval)
        .lastSize(size -> sized(size, 1, 0, 1, 1_000_000));
  }

  @Test
  void findMappingsNearTheLimit() {
    assertThat(with(1, 1, 1).lastFields(799, "").run("field-limit")).isEmpty();
    assertThat(only(with(1, 1, 1).lastFields(800, "").run("field-limit")).severity())
        .isEqualTo(Severity.ADVICE);
    assertThat(only(with(1, 1, 1).lastFields(950, "true").run("field-limit")).severity())
        .isEqualTo(Severity.PROBLEM);
    assertThat(with(1, 1, 1).lastFields(999, "strict").run("field-limit")).isEmpty();
    assertThat(
            only(with(1, 1, 1, "index.mapping.total_fields.limit", "20")
                    .lastFields(16, "")
                    .run("field-limit"))
                .figure())
        .startsWith("16 fields of 20");
  }

  @Test
  void findAsynchronousTranslogs() {
    String key = "index.translog.durability";
    assertThat(with(1, 1, 1, key, "async").run("translog")).hasSize(1);
    assertThat(with(1, 1, 1, key, "request").run("translog")).isEmpty();
  }
}
