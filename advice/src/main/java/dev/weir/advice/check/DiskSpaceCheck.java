package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.client.settings.DiskWatermark;
import dev.weir.client.settings.LayeredSettings;
import dev.weir.model.DisplayFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Disks near the watermarks at which OpenSearch stops to allocate, and then to write. */
public final class DiskSpaceCheck implements Check {
  private static final String DISK = "cluster.routing.allocation.disk.";
  private static final String ENABLED = DISK + "threshold_enabled";

  @Override
  public String name() {
    return "disk";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES, ApiSource.NODE_STATS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    LayeredSettings settings = snapshot.settings();
    List<Finding> findings = new ArrayList<>();
    if (settings.get(ENABLED, "true").equals("false")) {
      findings.add(
          new Finding(
              name(),
              Severity.ADVICE,
              ENABLED,
              "false (expected: true)",
              "Nothing keeps shards off a full disk. A node whose disk is full fails its shards.",
              Mend.of("").clusterSettings(Bodies.persistent(settings, ENABLED, "true"))));
    }
    String low = settings.get(DISK + "watermark.low", "85%");
    String high = settings.get(DISK + "watermark.high", "90%");
    for (NodeFacts node : snapshot.dataNodes()) {
      NodeFacts.Disk disk = node.disk();
      boolean isOverHigh = isOver(disk, high);
      if (disk.totalBytes() > 0 && (isOverHigh || isOver(disk, low))) {
        findings.add(
            new Finding(
                name(),
                isOverHigh ? Severity.PROBLEM : Severity.ADVICE,
                node.name(),
                DisplayFormat.formatBytes(disk.availableBytes())
                    + " of "
                    + DisplayFormat.formatBytes(disk.totalBytes())
                    + " left, over the watermark "
                    + (isOverHigh ? "high (" + high : "low (" + low)
                    + ")",
                isOverHigh
                    ? "OpenSearch moves shards away from the node. At the flood stage it blocks"
                        + " writes to all indices that the node has a shard of."
                    : "The node gets no further shards.",
                Mend.of(
                        "Delete indices, or add a node; this lists the largest indices."
                            + " Watermarks are no means against a full disk.")
                    .call("GET", "/_cat/indices?v&s=store.size:desc&h=index,store.size", "")));
      }
    }
    return findings;
  }

  private static boolean isOver(NodeFacts.Disk disk, String watermark) {
    return DiskWatermark.parse(watermark).isExceeded(disk.totalBytes(), disk.availableBytes());
  }
}
