package dev.weir.bench.bulk;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.Verdicts;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Directed bulks while data nodes are killed and started again, one at a time. All that was
 * acknowledged must be there then: once, and under the id that was returned.
 */
final class Soak {
  private static final String INDEX = WriteIndex.DIRECTED + "soak";
  private static final int SHARDS = 24;
  private static final int CLIENTS = 6;
  private static final int DOCUMENTS = 100;
  private static final double PAUSE_SECONDS = 0.05;

  /** Nodes that may be killed; the manager may be among them. */
  private static final int DATA_NODES = 3;

  private static final double LONGEST_UP_SECONDS = 4;
  private static final double LONGEST_DOWN_SECONDS = 4;

  private final PrintStream out;
  private final Verdicts verdicts;
  private final DataNodes cluster;
  private final MeasuredGateway weir;
  private final WriteIndex index;
  private final Random random = new Random();
  private final LogLines lines = new LogLines(new Random(3), DOCUMENTS);
  private final Queue<Written> written = new ConcurrentLinkedQueue<>();

  Soak(
      PrintStream out,
      Verdicts verdicts,
      DataNodes cluster,
      MeasuredGateway weir,
      WriteIndex index) {
    this.out = out;
    this.verdicts = verdicts;
    this.cluster = cluster;
    this.weir = weir;
    this.index = index;
  }

  /** The bulks; what was acknowledged is noted. */
  private final class Numbered implements BulkLoad.Bulks {
    @Override
    public byte[] request(long number) {
      return lines.request(INDEX, number * DOCUMENTS);
    }

    @Override
    public void answered(long number, BulkReply reply) {
      if (reply.written() > 0) {
        written.add(new Written(number * DOCUMENTS, reply.ids()));
      }
    }
  }

  void run(double seconds) throws IOException {
    index.create(INDEX, SHARDS);
    out.printf("soak: bulks of %d by %d clients for %.0f s%n", DOCUMENTS, CLIENTS, seconds);
    CompletableFuture<BulkLoad.Result> load =
        CompletableFuture.supplyAsync(() ->
            BulkLoad.run(
                weir.address(), new Numbered(), DOCUMENTS, CLIENTS, seconds, PAUSE_SECONDS));
    int kills = 0;
    while (!load.isDone()) {
      pause(LONGEST_UP_SECONDS);
      if (!load.isDone()) {
        kill(cluster.node(random.nextInt(DATA_NODES)));
        kills++;
      }
    }
    BulkLoad.Result seen = load.join();
    out.printf(
        "soak: %d documents of %d bulks acknowledged, %d rejected, %d failed or unknown; %d"
            + " kills; p50 %.1f ms, longest %.1f s%n",
        seen.written(),
        seen.bulks(),
        seen.rejected(),
        seen.failed(),
        kills,
        seen.latencies().getValueAtPercentile(50) / 1e3,
        seen.latencies().getMaxValue() / 1e6);
    index.refresh(INDEX);
    verdicts.holds(
        "soak",
        "nodes were killed while documents were acknowledged",
        kills > 0 && seen.written() > 0);
    new Inventory(out, INDEX, lines, cluster.node(0), weir).judge(written, verdicts);
    index.delete(INDEX);
  }

  private void kill(DataNode node) {
    long begin = System.nanoTime();
    node.kill();
    pause(LONGEST_DOWN_SECONDS);
    node.start();
    cluster.awaitGreen();
    out.printf(
        "soak: killed %s; green again after %.1f s%n",
        node.name(), (System.nanoTime() - begin) / 1e9);
  }

  private void pause(double longestSeconds) {
    LockSupport.parkNanos((long) (random.nextDouble() * longestSeconds * 1e9));
  }
}
