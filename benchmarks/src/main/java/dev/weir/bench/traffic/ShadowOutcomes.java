package dev.weir.bench.traffic;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.Workload;
import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * What became of the shadow reads of a gateway so far, as {@code /shadow} shows it.
 *
 * @param compared reads whose responses were compared
 * @param left reads that were not repeated, or whose responses could not be compared
 */
record ShadowOutcomes(double compared, double left) {
  private static final long PAUSE_MILLIS = 500;
  private static final int MAX_READS = 60;

  /** Reads the report once it no longer changes: shadow reads end after the clients'. Blocks. */
  static ShadowOutcomes read(MeasuredGateway gateway) throws IOException {
    try (BlockingHttpConnection admin = BlockingHttpConnection.withBodies(gateway.adminAddress())) {
      ShadowOutcomes now = fetch(admin);
      for (int i = 0; i < MAX_READS; i++) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        ShadowOutcomes next = fetch(admin);
        if (next.equals(now)) {
          return now;
        }
        now = next;
      }
      return now;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static ShadowOutcomes fetch(BlockingHttpConnection admin) throws IOException {
    admin.exchange(Workload.request("GET", "/shadow", ""));
    return parse(admin.body());
  }

  /** Reads a report. */
  static ShadowOutcomes parse(String report) throws IOException {
    JsonTree tree = JsonReader.readObject(report);
    return new ShadowOutcomes(
        tree.number("compared"),
        sum(tree.child("shed_requests")) + sum(tree.child("incomparable")));
  }

  private static double sum(JsonTree counts) {
    return counts.members().values().stream()
        .mapToDouble(count -> new JsonTree(count).number())
        .sum();
  }

  /** Returns what became of the reads since an earlier report. */
  ShadowOutcomes since(ShadowOutcomes before) {
    return new ShadowOutcomes(compared - before.compared, left - before.left);
  }

  /**
   * Returns the share of reads that were compared.
   *
   * @param reads of clients, at least; a gateway that does not shadow reports none
   */
  double comparedOf(double reads) {
    return compared / Math.max(reads, compared + left);
  }
}
