package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Nodes with many more primaries than others. OpenSearch balances copies, not primaries, so they
 * gather on the nodes that were restarted first.
 */
public final class UnbalancedPrimariesCheck implements Check {
  /** A node with half as many again as the mean does half as much again of the writes' work. */
  static final double MAX_RATIO = 1.5;

  /** Below this excess a node's share is chance. */
  static final int MIN_EXCESS = 4;

  /** The commands of one call: each interrupts the writes of its shard for a moment. */
  static final int MAX_MOVES = 20;

  @Override
  public String name() {
    return "unbalanced-primaries";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, Integer> primaries = new TreeMap<>();
    snapshot.dataNodes().stream().map(NodeFacts::name).forEach(node -> primaries.put(node, 0));
    int total = 0;
    for (ShardFacts shard : snapshot.shards()) {
      if (shard.primary() && shard.assigned() && primaries.containsKey(shard.node())) {
        primaries.merge(shard.node(), 1, Integer::sum);
        total++;
      }
    }
    if (primaries.size() < 2) {
      return List.of();
    }
    double mean = (double) total / primaries.size();
    Map<String, List<ShardFacts>> replicas = replicas(snapshot);
    List<Finding> findings = new ArrayList<>();
    for (Map.Entry<String, Integer> node : primaries.entrySet()) {
      int excess = (int) (node.getValue() - mean);
      if (node.getValue() > mean * MAX_RATIO && excess >= MIN_EXCESS) {
        List<ShardFacts> copies = snapshot.shardsOf(node.getKey());
        String commands = commands(copies, replicas, excess, new TreeMap<>(primaries));
        if (!commands.isEmpty()) {
          findings.add(describe(node.getKey(), node.getValue(), mean, commands));
        }
      }
    }
    return findings;
  }

  private Finding describe(String node, int primaries, double mean, String commands) {
    return new Finding(
        name(),
        Severity.ADVICE,
        node,
        primaries
            + " primaries, beside a mean of "
            + Math.round(mean)
            + " (expected: half as many again at most)",
        "A primary does its node's share of every write first, and reads documents by id for"
            + " updates.",
        Mend.of(
                "A replica elsewhere becomes the primary, and the copy here its replica. It is"
                    + " recovered from the new primary, mostly without copying files.")
            .call("POST", "/_cluster/reroute?metric=none", "{\"commands\": [" + commands + "]}"));
  }

  private static String shardOf(ShardFacts copy) {
    return copy.index() + "/" + copy.shard();
  }

  private static Map<String, List<ShardFacts>> replicas(ClusterSnapshot snapshot) {
    Map<String, List<ShardFacts>> replicas = new HashMap<>();
    for (ShardFacts shard : snapshot.shards()) {
      if (!shard.primary() && shard.assigned()) {
        replicas.computeIfAbsent(shardOf(shard), any -> new ArrayList<>()).add(shard);
      }
    }
    return replicas;
  }

  /** Cancels those primaries of a node whose only replica is on a node with few primaries. */
  private static String commands(
      List<ShardFacts> copies,
      Map<String, List<ShardFacts>> replicas,
      int excess,
      Map<String, Integer> primaries) {
    List<String> commands = new ArrayList<>();
    for (ShardFacts shard : copies) {
      String node = shard.node();
      List<ShardFacts> others = replicas.getOrDefault(shardOf(shard), List.of());
      if (shard.primary() && others.size() == 1 && commands.size() < Math.min(excess, MAX_MOVES)) {
        String target = others.getFirst().node();
        int here = primaries.getOrDefault(node, 0);
        int there = primaries.getOrDefault(target, Integer.MAX_VALUE);
        if (there < here - 1) {
          primaries.put(node, here - 1);
          primaries.put(target, there + 1);
          commands.add(
              ("{\"cancel\": {\"index\": \"%s\", \"shard\": %d, \"node\": \"%s\","
                      + " \"allow_primary\": true}}")
                  .formatted(shard.index(), shard.shard(), node));
        }
      }
    }
    return String.join(", ", commands);
  }
}
