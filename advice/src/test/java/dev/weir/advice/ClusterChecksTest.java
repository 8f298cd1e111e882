package dev.weir.advice;

import static dev.weir.advice.SnapshotFixture.GB;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.client.settings.LayeredSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterChecksTest {
  private static SnapshotFixture healthy() {
    return SnapshotFixture.healthy();
  }

  private static Finding only(List<Finding> findings) {
    assertThat(findings).hasSize(1);
    return findings.getFirst();
  }

  private static String body(Finding finding) {
    return finding.mend().steps().getFirst() instanceof MendStep.Call call ? call.body() : "";
  }

  private static NodeFacts with(NodeFacts node, NodeFacts.Memory memory, NodeFacts.Disk disk) {
    return new NodeFacts(
        node.name(),
        node.host(),
        node.version(),
        node.roles(),
        node.attributes(),
        node.plugins(),
        memory,
        disk);
  }

  @Test
  void findNothingInAHealthyCluster() {
    assertThat(healthy().runAll()).isEmpty();
  }

  @Test
  void findLowRecoveryLimit() {
    String key = "indices.recovery.max_bytes_per_sec";
    assertThat(healthy().persistent(key, "40mb").run("recovery-limit")).isEmpty();
    assertThat(healthy().persistent(key, "0").run("recovery-limit")).isEmpty();
    Finding low = only(healthy().persistent(key, "39mb").run("recovery-limit"));
    assertThat(low.figure()).startsWith("39mb/s");
    assertThat(body(low)).isEqualTo("{\"persistent\": {\"" + key + "\": null}}");
  }

  @Test
  void findRecoveryLimitThatIsLowForTheData() {
    SnapshotFixture fixture = healthy();
    fixture.shards.add(new ShardFacts("big", 0, true, true, "node-1", 560 * GB, 0, -1));
    assertThat(fixture.run("recovery-limit")).isEmpty();
    fixture.shards.add(new ShardFacts("big", 1, true, true, "node-1", 560 * GB, 0, -1));
    Finding found = only(fixture.run("recovery-limit"));
    assertThat(body(found)).contains("\"indices.recovery.max_bytes_per_sec\": \"80mb\"");
    fixture.persistent("indices.recovery.max_bytes_per_sec", "80mb");
    assertThat(fixture.run("recovery-limit")).isEmpty();
  }

  @Test
  void findFewAndManyConcurrentRecoveries() {
    String key = "cluster.routing.allocation.node_concurrent_recoveries";
    for (String fine : List.of("2", "20")) {
      assertThat(healthy().persistent(key, fine).run("concurrent-recoveries")).isEmpty();
    }
    for (String wrong : List.of("1", "21")) {
      assertThat(only(healthy().temporary(key, wrong).run("concurrent-recoveries")).figure())
          .startsWith(wrong + " (");
    }
  }

  @Test
  void findAllocationThatIsOff() {
    String key = "cluster.routing.allocation.enable";
    assertThat(healthy().persistent(key, "all").run("allocation")).isEmpty();
    Finding found = only(healthy().temporary(key, "primaries").run("allocation"));
    assertThat(found.severity()).isEqualTo(Severity.PROBLEM);
    assertThat(body(found)).isEqualTo("{\"transient\": {\"" + key + "\": null}}");
    assertThat(
            only(healthy().persistent("cluster.routing.rebalance.enable", "none").run("allocation"))
                .severity())
        .isEqualTo(Severity.ADVICE);
  }

  @Test
  void setAValueOverTheConfigurationFileOfNodes() {
    SnapshotFixture fixture = healthy();
    fixture.settings =
        new LayeredSettings(
            Map.of(), Map.of(), Map.of("cluster.routing.allocation.enable", "none"));
    assertThat(body(only(fixture.run("allocation"))))
        .isEqualTo("{\"persistent\": {\"cluster.routing.allocation.enable\": \"all\"}}");
  }

  @Test
  void findFiltersOfNodes() {
    String key = "cluster.routing.allocation.exclude._name";
    assertThat(healthy().persistent(key, "").run("node-filter")).isEmpty();
    assertThat(only(healthy().persistent(key, "node-9").run("node-filter")).figure())
        .contains("names no node");
    assertThat(only(healthy().persistent(key, "node-9, node-1").run("node-filter")).figure())
        .contains("has 2 copies");
  }

  @Test
  void findFiltersOfNodesByPatterns() {
    String key = "cluster.routing.allocation.exclude._name";
    assertThat(only(healthy().persistent(key, "node-*").run("node-filter")).figure())
        .contains("has 6 copies");
    assertThat(only(healthy().persistent(key, "old-*, *-1").run("node-filter")).figure())
        .contains("has 2 copies");
    for (String other : List.of("old-*", "node-.", "*-1-*")) {
      assertThat(only(healthy().persistent(key, other).run("node-filter")).figure())
          .as(other)
          .contains("names no node");
    }
  }

  @Test
  void findExclusionsAndWeights() {
    SnapshotFixture fixture = healthy();
    fixture.exclusions.add("node-3");
    assertThat(only(fixture.run("voting-exclusions")).figure()).startsWith("1 nodes");
    String key = "cluster.metadata.weir.node-weight.";
    assertThat(healthy().persistent(key + "node-1", "1").run("drained-nodes")).isEmpty();
    assertThat(only(healthy().persistent(key + "node-1", "0").run("drained-nodes")).figure())
        .startsWith("weight 0 (");
    assertThat(only(healthy().persistent(key + "old", "0.25").run("drained-nodes")).figure())
        .contains("not in the cluster");
  }

  @Test
  void findAnUnfinishedOperationAndNotWhatItChanged() {
    String journal = "cluster.metadata.weir.operation";
    SnapshotFixture fixture =
        healthy()
            .persistent("cluster.routing.allocation.enable", "primaries")
            .persistent("cluster.metadata.weir.node-weight.node-1", "0");
    assertThat(fixture.run("unfinished-operation")).isEmpty();
    fixture.persistent(journal, "{\"step\":\"drain\",\"command_sha256\":\"\"}");
    Finding found = only(fixture.runAll());
    assertThat(found.subject()).isEqualTo(journal);
    assertThat(found.severity()).isEqualTo(Severity.PROBLEM);
    MendStep step = found.mend().steps().getFirst();
    assertThat(step)
        .isEqualTo(new MendStep.Command("weir rolling-restart --config weir.yaml --resume"));
    assertThat(CommandFormatter.place(step)).isEqualTo("gateway");
  }

  @Test
  void printTheCommandThatAJournalAllows() {
    Mend begun = mendOf("{\"step\":\"flush\",\"command_sha256\":\"e3b0\"}");
    assertThat(options(begun)).isEqualTo("--resume --exec 'THE SAME COMMAND'");
    assertThat(begun.note()).contains("the text of --exec that the operation began with");
    Mend aborted = mendOf("{\"step\":\"abort\",\"command_sha256\":\"e3b0\"}");
    assertThat(options(aborted)).isEqualTo("--abort");
    assertThat(aborted.note()).contains("aborted in part");
    for (String unreadable : List.of("nonsense", "{", "[]", "{}")) {
      Mend mend = mendOf(unreadable);
      assertThat(options(mend)).as(unreadable).isEqualTo("--abort");
      assertThat(mend.note()).as(unreadable).contains("can't be read");
    }
  }

  private static Mend mendOf(String journal) {
    return only(healthy()
            .persistent("cluster.metadata.weir.operation", journal)
            .run("unfinished-operation"))
        .mend();
  }

  private static String options(Mend mend) {
    return mend.steps().getFirst() instanceof MendStep.Command(String text)
        ? text.replace("weir rolling-restart --config weir.yaml ", "")
        : "";
  }

  @Test
  void findVerboseLoggers() {
    assertThat(healthy().persistent("logger.org.opensearch", "INFO").run("logger-levels"))
        .isEmpty();
    assertThat(healthy().persistent("logger.org.opensearch", "trace").run("logger-levels"))
        .hasSize(1);
  }

  @Test
  void findDisksOverWatermarks() {
    NodeFacts node = SnapshotFixture.node("node-1");
    for (long free : List.of(16L, 15L)) {
      assertThat(disk(node, free).run("disk")).isEmpty();
    }
    assertThat(only(disk(node, 14).run("disk")).severity()).isEqualTo(Severity.ADVICE);
    assertThat(only(disk(node, 9).run("disk")).severity()).isEqualTo(Severity.PROBLEM);
    String low = "cluster.routing.allocation.disk.watermark.low";
    String high = "cluster.routing.allocation.disk.watermark.high";
    assertThat(disk(node, 9).persistent(low, "9gb").persistent(high, "5gb").run("disk")).isEmpty();
    assertThat(disk(node, 8).persistent(low, "9gb").persistent(high, "5gb").run("disk")).hasSize(1);
    assertThat(disk(node, 16).persistent(low, "0.85").run("disk")).isEmpty();
    assertThat(only(disk(node, 14).persistent(low, "0.85").run("disk")).severity())
        .isEqualTo(Severity.ADVICE);
    String enabled = "cluster.routing.allocation.disk.threshold_enabled";
    assertThat(only(healthy().persistent(enabled, "false").run("disk")).subject())
        .isEqualTo(enabled);
  }

  private static SnapshotFixture disk(NodeFacts node, long freeGigabytes) {
    return healthy()
        .replaceNode(
            0, with(node, node.memory(), new NodeFacts.Disk(100 * GB, freeGigabytes * GB)));
  }

  @Test
  void findTooFewOrAnEvenNumberOfManagers() {
    SnapshotFixture fixture = healthy();
    fixture.nodes.add(SnapshotFixture.node("node-4"));
    assertThat(only(fixture.run("manager-nodes")).severity()).isEqualTo(Severity.HINT);
    fixture.nodes.add(SnapshotFixture.node("node-5"));
    assertThat(fixture.run("manager-nodes")).isEmpty();
    SnapshotFixture two = healthy();
    two.nodes.removeLast();
    assertThat(only(two.run("manager-nodes")).severity()).isEqualTo(Severity.PROBLEM);
    two.nodes.removeLast();
    assertThat(two.run("manager-nodes")).as("one node").isEmpty();
  }

  @Test
  void findHeapsThatAreTooLarge() {
    NodeFacts node = SnapshotFixture.node("node-1");
    assertThat(memory(node, 2 * GB, 4 * GB).run("heap")).isEmpty();
    assertThat(only(memory(node, 3 * GB, 4 * GB).run("heap")).figure()).startsWith("3gb of heap");
    NodeFacts.Memory wide = new NodeFacts.Memory(33 * GB, false, true, 128 * GB, 0);
    SnapshotFixture large = healthy().replaceNode(0, with(node, wide, node.disk()));
    assertThat(only(large.run("heap")).figure()).contains("eight bytes");
  }

  @Test
  void leaveHeapsOfNodesWithoutData() {
    NodeFacts node = SnapshotFixture.node("node-1");
    NodeFacts manager =
        new NodeFacts(
            node.name(),
            node.host(),
            node.version(),
            Set.of("cluster_manager"),
            node.attributes(),
            node.plugins(),
            new NodeFacts.Memory(3 * GB, true, true, 4 * GB, 0),
            node.disk());
    assertThat(healthy().replaceNode(0, manager).run("heap")).isEmpty();
  }

  private static SnapshotFixture memory(NodeFacts node, long heap, long machine) {
    return healthy()
        .replaceNode(
            0, with(node, new NodeFacts.Memory(heap, true, true, machine, 0), node.disk()));
  }

  @Test
  void addUpHeapsOfOneMachine() {
    SnapshotFixture fixture = healthy();
    fixture.nodes.clear();
    for (int i = 0; i < 3; i++) {
      NodeFacts node = SnapshotFixture.node("n" + i);
      fixture.nodes.add(
          new NodeFacts(
              node.name(),
              "one-host",
              node.version(),
              node.roles(),
              node.attributes(),
              node.plugins(),
              node.memory(),
              node.disk()));
    }
    assertThat(only(fixture.run("heap")).subject()).isEqualTo("n0, n1, n2");
  }

  @Test
  void findHeapsThatCanBeSwapped() {
    NodeFacts node = SnapshotFixture.node("node-1");
    NodeFacts.Memory free = new NodeFacts.Memory(GB, true, false, 4 * GB, GB);
    assertThat(only(healthy().replaceNode(0, with(node, free, node.disk())).run("swap")).subject())
        .isEqualTo("node-1");
    NodeFacts.Memory none = new NodeFacts.Memory(GB, true, false, 4 * GB, 0);
    assertThat(healthy().replaceNode(0, with(node, none, node.disk())).run("swap")).isEmpty();
  }

  @Test
  void findVersionsPluginsAndZonesThatDiffer() {
    NodeFacts node = SnapshotFixture.node("node-1");
    NodeFacts other =
        new NodeFacts(
            "node-1",
            "h",
            "3.10.0",
            node.roles(),
            Map.of("zone", "b"),
            Set.of(),
            node.memory(),
            node.disk());
    SnapshotFixture fixture = healthy().replaceNode(0, other);
    assertThat(only(fixture.run("versions")).figure())
        .isEqualTo("2 nodes of 3.8.0, 1 nodes of 3.10.0 (expected: one version)");
    assertThat(only(fixture.run("versions")).mend().steps())
        .containsExactly(new MendStep.Command("# upgrade node-2, node-3"));
    assertThat(only(fixture.run("plugins")).figure()).startsWith("1 of 3 nodes lack it: node-1");
    assertThat(fixture.run("zone-awareness")).as("one zone").isEmpty();
    fixture.replaceNode(
        1,
        new NodeFacts(
            "node-2",
            "h2",
            "3.8.0",
            node.roles(),
            Map.of("zone", "a", "shard_indexing_pressure_enabled", "true"),
            node.plugins(),
            node.memory(),
            node.disk()));
    assertThat(fixture.run("zone-awareness")).as("a node without a zone").isEmpty();
    fixture.nodes.removeLast();
    assertThat(only(fixture.run("zone-awareness")).figure()).startsWith("2 values (a, b)");
    fixture.persistent("cluster.routing.allocation.awareness.attributes", "zone");
    assertThat(fixture.run("zone-awareness")).isEmpty();
  }

  @Test
  void findShardsForTheHeap() {
    SnapshotFixture fixture = healthy();
    fixture.shards.clear();
    for (int i = 0; i < 25; i++) {
      fixture.shards.add(new ShardFacts("logs", i, true, true, "node-1", 1, 0, -1));
    }
    assertThat(fixture.run("shards-per-heap")).isEmpty();
    fixture.shards.add(new ShardFacts("logs", 25, true, true, "node-1", 1, 0, -1));
    assertThat(only(fixture.run("shards-per-heap")).figure())
        .startsWith("26 copies of shards in 1024 MB");
  }

  @Test
  void findTheLimitOfShards() {
    String key = "cluster.max_shards_per_node"; // the index has 6 copies on 3 nodes
    assertThat(healthy().persistent(key, "3").run("max-shards")).isEmpty();
    Finding found = only(healthy().persistent(key, "2").run("max-shards"));
    assertThat(found.figure()).startsWith("6 copies of shards of 6");
    assertThat(body(found)).contains("\"4\"");
  }

  @Test
  void findUnbalancedPrimaries() {
    SnapshotFixture fixture = healthy();
    fixture.shards.clear();
    for (int i = 0; i < 6; i++) {
      fixture.shards.add(new ShardFacts("logs", i, true, true, "node-1", 1, 0, -1));
      String replica = "node-" + (2 + i % 2);
      fixture.shards.add(new ShardFacts("logs", i, false, true, replica, 1, 0, -1));
    }
    Finding found = only(fixture.run("unbalanced-primaries"));
    assertThat(found.figure()).startsWith("6 primaries, beside a mean of 2");
    assertThat(body(found).split("cancel", -1)).as("moves").hasSize(1 + 4);
    fixture.shards.removeIf(shard -> shard.shard() == 5);
    assertThat(fixture.run("unbalanced-primaries")).as("chance").isEmpty();
  }
}
