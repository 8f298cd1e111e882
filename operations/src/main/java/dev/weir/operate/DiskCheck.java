package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.settings.DiskWatermark;
import dev.weir.client.settings.LayeredSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds data nodes whose disks are over the low watermark: no copy would come to them.
 *
 * @param cluster is asked
 */
record DiskCheck(ClusterApi cluster) {
  private static final String LOW = "cluster.routing.allocation.disk.watermark.low";
  private static final String ENABLED = "cluster.routing.allocation.disk.threshold_enabled";
  private static final double PERCENT = 100;

  List<String> refusals() throws OperationException, InterruptedException {
    LayeredSettings settings = cluster.layeredSettings();
    if (settings.get(ENABLED, "true").equals("false")) {
      return List.of();
    }
    String low = settings.get(LOW, "");
    DiskWatermark watermark = DiskWatermark.parse(low);
    List<String> refusals = new ArrayList<>();
    JsonTree nodes =
        cluster
            .get("/_nodes/data:true/stats/fs?filter_path=nodes.*.name,nodes.*.fs.total")
            .child("nodes");
    for (String id : nodes.members().keySet()) {
      JsonTree total = nodes.child(id, "fs", "total");
      long size = total.child("total_in_bytes").toLong(0);
      long free = total.child("available_in_bytes").toLong(0);
      if (size > 0 && watermark.isExceeded(size, free)) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "the disk of node %s is %.0f %% full, over the low watermark of %s: make room",
                nodes.text(id, "name"),
                PERCENT * (size - free) / size,
                low));
      }
    }
    return refusals;
  }
}
