package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.client.settings.ByteSizes;
import dev.weir.client.settings.LayeredSettings;
import dev.weir.model.DisplayFormat;
import java.util.List;
import java.util.Set;

/** How fast a node copies shards, beside the bytes that it would have to copy. */
public final class RecoveryLimitCheck implements Check {
  private static final String KEY = "indices.recovery.max_bytes_per_sec";

  /** OpenSearch's default, of the time of spinning disks: a lower limit is rarely meant to stay. */
  static final long MIN_BYTES_PER_SECOND = 40L << 20;

  /**
   * How long the largest node may take to be copied. While it is copied, the loss of one more node
   * may lose the last copy of a shard.
   */
  static final long MAX_SECONDS = 4 * 3600;

  /** A quarter of what 10 Gbit/s carry: searches keep the rest. */
  private static final long MAX_ADVISED_BYTES_PER_SECOND = 300L << 20;

  @Override
  public String name() {
    return "recovery-limit";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    LayeredSettings settings = snapshot.settings();
    long limit = ByteSizes.parse(settings.get(KEY, "40mb"));
    if (limit <= 0) {
      return List.of(); // unlimited
    }
    long largest =
        snapshot.dataNodes().stream()
            .map(NodeFacts::name)
            .mapToLong(node -> snapshot.shardsOf(node).stream().mapToLong(ShardFacts::bytes).sum())
            .max()
            .orElse(0);
    long seconds = largest / limit;
    if (limit >= MIN_BYTES_PER_SECOND && seconds <= MAX_SECONDS) {
      return List.of();
    }
    long advised =
        Math.min(
            MAX_ADVISED_BYTES_PER_SECOND,
            Math.max(MIN_BYTES_PER_SECOND, roundUp(largest / MAX_SECONDS)));
    if (advised <= limit) {
      return List.of(); // as much as a network shared with searches can give
    }
    String body =
        settings.isSet(KEY) && advised == MIN_BYTES_PER_SECOND
            ? settings.removal(List.of(KEY))
            : Bodies.persistent(settings, KEY, (advised >> 20) + "mb");
    return List.of(
        new Finding(
            name(),
            Severity.ADVICE,
            KEY,
            DisplayFormat.formatBytes(limit)
                + "/s; the node with the most data has "
                + DisplayFormat.formatBytes(largest)
                + ", which takes "
                + seconds / 60
                + " minutes (expected: 40mb/s at least, and "
                + MAX_SECONDS / 60
                + " minutes at most)",
            "A node that is lost or restarted is copied at this rate. Until then its shards have"
                + " a copy less.",
            Mend.of("Watch the latency of searches while shards are copied.")
                .clusterSettings(body)));
  }

  /** Rounds bytes up to whole tens of megabytes. */
  private static long roundUp(long bytes) {
    long step = 10L << 20;
    return (bytes + step - 1) / step * step;
  }
}
