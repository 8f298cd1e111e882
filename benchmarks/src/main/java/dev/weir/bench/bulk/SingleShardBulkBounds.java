package dev.weir.bench.bulk;

import dev.weir.bench.ResultChecks;
import java.util.List;

/** What a bulk to a single shard of a few may cost, relative to a bulk to all of them. */
final class SingleShardBulkBounds {
  /** A retry, or a message that the gateway sends anyway, may add to one message a bulk. */
  private static final double MESSAGES_MARGIN = 1.1;

  private static final double MIN_DOCUMENTS = 1.1;
  private static final double MAX_NODES_CPU = 0.9;
  private static final double MAX_GATEWAY_CPU = 0.9;

  private SingleShardBulkBounds() {}

  /** Checks the bounds of bulks into an index of so many shards. */
  static void check(
      ResultChecks checks,
      String title,
      int shards,
      BulkMeasurement plain,
      BulkMeasurement single) {
    String of = title + ", single-shard, of plain";
    checks.checkAtMost(
        of,
        "messages to nodes a bulk",
        single.messagesPerBulk() / plain.messagesPerBulk(),
        MESSAGES_MARGIN / shards);
    checks.checkAtMost(
        of,
        "CPU of the nodes a document, with its refresh",
        (single.writingCpu() + single.refreshCpu()) / (plain.writingCpu() + plain.refreshCpu()),
        MAX_NODES_CPU);
    checks.checkAtMost(
        of, "CPU of the gateway a bulk", single.gatewayCpu() / plain.gatewayCpu(), MAX_GATEWAY_CPU);
    checks.checkAtMost(
        of,
        "heap of the gateway a bulk",
        single.allocatedKilobytesPerBulk() / plain.allocatedKilobytesPerBulk(),
        1);
    checks.checkAtLeast(
        of, "documents/s", single.documentsPerSecond() / plain.documentsPerSecond(), MIN_DOCUMENTS);
    checks.checkAtMost(of, "p99", single.millis(99) / plain.millis(99), 1);
    BulkResultTable.checkWritten(checks, title, List.of(plain, single));
  }
}
