package dev.weir.advice;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardCopies;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.advice.snapshot.TrafficFacts;
import dev.weir.client.settings.LayeredSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Builds snapshots: a healthy cluster of three nodes, and what a test changes of it. */
final class SnapshotFixture {
  static final long GB = 1L << 30;
  static final long HOUR_MILLIS = 3_600_000;

  final List<NodeFacts> nodes = new ArrayList<>();
  final List<IndexFacts> indices = new ArrayList<>();
  final List<ShardFacts> shards = new ArrayList<>();
  final List<String> exclusions = new ArrayList<>();
  final Map<ApiSource, String> unavailable = new HashMap<>();
  LayeredSettings settings = LayeredSettings.NONE;
  TrafficFacts traffic = TrafficFacts.NONE;

  static SnapshotFixture healthy() {
    SnapshotFixture fixture = new SnapshotFixture();
    for (int i = 1; i <= 3; i++) {
      fixture.nodes.add(node("node-" + i));
    }
    fixture.index("logs", 3, 1, GB, Map.of());
    return fixture;
  }

  static NodeFacts node(String name) {
    return new NodeFacts(
        name,
        "host-of-" + name,
        "3.8.0",
        Set.of("cluster_manager", "data"),
        Map.of(),
        Set.of("weir-data-node"),
        new NodeFacts.Memory(GB, true, true, 4 * GB, 0),
        new NodeFacts.Disk(100 * GB, 50 * GB));
  }

  SnapshotFixture persistent(String key, String value) {
    Map<String, String> more = new TreeMap<>(settings.persistent());
    more.put(key, value);
    settings = new LayeredSettings(more, settings.temporary(), settings.defaults());
    return this;
  }

  SnapshotFixture temporary(String key, String value) {
    Map<String, String> more = new TreeMap<>(settings.temporary());
    more.put(key, value);
    settings = new LayeredSettings(settings.persistent(), more, settings.defaults());
    return this;
  }

  /** Adds an open index; its copies go round the nodes, primaries first. */
  SnapshotFixture index(
      String name, int primaries, int replicas, long bytes, Map<String, String> more) {
    indices.add(
        new IndexFacts(
            name,
            true,
            new IndexFacts.Size(primaries, replicas, 1000, 0, bytes, primaries, 1000),
            more,
            new IndexFacts.Mapping(10, ""),
            false));
    for (int shard = 0; shard < primaries; shard++) {
      for (int copy = 0; copy <= replicas; copy++) {
        String node = nodes.get((indices.size() + shard + copy) % nodes.size()).name();
        long size = bytes / primaries;
        shards.add(new ShardFacts(name, shard, copy == 0, true, node, size, 100, HOUR_MILLIS));
      }
    }
    return this;
  }

  /** Replaces the last index. */
  SnapshotFixture last(UnaryOperator<IndexFacts> change) {
    indices.add(change.apply(indices.removeLast()));
    return this;
  }

  SnapshotFixture lastSize(UnaryOperator<IndexFacts.Size> change) {
    return last(index ->
        new IndexFacts(
            index.name(),
            index.open(),
            change.apply(index.size()),
            index.settings(),
            index.mapping(),
            index.rolledOver()));
  }

  SnapshotFixture lastFields(int fields, String dynamic) {
    return last(index ->
        new IndexFacts(
            index.name(),
            index.open(),
            index.size(),
            index.settings(),
            new IndexFacts.Mapping(fields, dynamic),
            index.rolledOver()));
  }

  SnapshotFixture lastRolledOver() {
    return last(index ->
        new IndexFacts(
            index.name(), index.open(), index.size(), index.settings(), index.mapping(), true));
  }

  SnapshotFixture replaceNode(int at, NodeFacts node) {
    nodes.set(at, node);
    return this;
  }

  ClusterSnapshot snapshot() {
    return new ClusterSnapshot(
        settings, nodes, indices, new ShardCopies(shards), exclusions, traffic, unavailable);
  }

  /** The findings of a check. */
  List<Finding> run(String check) {
    return CheckCatalog.find(check).run(snapshot());
  }

  /** The findings of all checks. */
  List<Finding> runAll() {
    List<Finding> all = new ArrayList<>();
    for (Check check : CheckCatalog.all()) {
      all.addAll(check.run(snapshot()));
    }
    return all;
  }
}
