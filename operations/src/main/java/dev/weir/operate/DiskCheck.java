package dev.weir.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds nodes whose disks are over the low watermark: no copy would come to them.
 *
 * @param cluster is asked
 */
record DiskCheck(ClusterApi cluster) {
  private static final String LOW = "cluster.routing.allocation.disk.watermark.low";
  private static final String ENABLED = "cluster.routing.allocation.disk.threshold_enabled";
  private static final double PERCENT = 100;
  private static final Map<String, Long> UNITS =
      Map.of(
          "b", 1L, "kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30, "tb", 1L << 40, "pb", 1L << 50);

  List<String> refusals() throws OperationException, InterruptedException {
    JsonTree settings = cluster.get("/_cluster/settings?flat_settings=true&include_defaults=true");
    if (value(settings, ENABLED).equals("false")) {
      return List.of();
    }
    String low = value(settings, LOW);
    List<String> refusals = new ArrayList<>();
    JsonTree nodes =
        cluster.get("/_nodes/stats/fs?filter_path=nodes.*.name,nodes.*.fs.total").child("nodes");
    for (String id : nodes.members().keySet()) {
      JsonTree total = nodes.child(id, "fs", "total");
      double size = total.number("total_in_bytes");
      double free = total.number("available_in_bytes");
      if (size > 0 && isOver(low, size, free)) {
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

  private static String value(JsonTree settings, String key) {
    for (String scope : List.of("transient", "persistent", "defaults")) {
      String value = settings.text(scope, key);
      if (!value.isEmpty()) {
        return value;
      }
    }
    return "";
  }

  /**
   * Whether a disk is over a watermark.
   *
   * @param low such as {@code 85%}, {@code 0.85} (both used), or {@code 20gb} (free)
   */
  static boolean isOver(String low, double size, double free) {
    String text = low.trim().toLowerCase(Locale.ROOT);
    try {
      if (text.endsWith("%")) {
        return (size - free) * PERCENT / size
            > Double.parseDouble(text.substring(0, text.length() - 1));
      }
      int digits = 0;
      while (digits < text.length() && "0123456789.".indexOf(text.charAt(digits)) >= 0) {
        digits++;
      }
      String unit = text.substring(digits).trim();
      double number = Double.parseDouble(text.substring(0, digits));
      return unit.isEmpty()
          ? number <= 1 && (size - free) / size > number
          : free < number * UNITS.getOrDefault(unit, 0L);
    } catch (NumberFormatException unknown) {
      return false;
    }
  }
}
