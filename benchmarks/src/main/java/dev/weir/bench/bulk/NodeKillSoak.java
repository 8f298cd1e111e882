package dev.weir.bench.bulk;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends single-shard bulks while data nodes are killed and started again, one at a time. Afterwards
 * every acknowledged document must be there exactly once, under the returned id.
 */
final class NodeKillSoak {
  private static final String INDEX = WriteIndex.SINGLE_SHARD_INDEX + "soak";
  private static final int SHARDS = 24;
  private static final int CLIENTS = 6;
  private static final int DOCUMENTS = 100;
  private static final double PAUSE_SECONDS = 0.05;

  /** The number of nodes that may be killed, the cluster manager included. */
  private static final int DATA_NODES = 3;

  private static final double MAX_UP_SECONDS = 4;
  private static final double MAX_DOWN_SECONDS = 4;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final DataNodeCluster cluster;
  private final MeasuredGateway gateway;
  private final WriteIndex index;
  private final Random random = new Random();
  private final LogLines lines = new LogLines(new Random(3), DOCUMENTS);
  private final Queue<AcknowledgedBulk> written = new ConcurrentLinkedQueue<>();

  NodeKillSoak(
      PrintStream out,
      ResultChecks verdicts,
      DataNodeCluster cluster,
      MeasuredGateway weir,
      WriteIndex index) {
    this.out = out;
    this.verdicts = verdicts;
    this.cluster = cluster;
    this.gateway = weir;
    this.index = index;
  }

  /** Creates bulks with unique numbers, and records the acknowledged ones. */
  private final class NumberedBulkSource implements BulkLoadGenerator.BulkSource {
    @Override
    public byte[] request(long number) {
      return lines.request(INDEX, number * DOCUMENTS);
    }

    @Override
    public void onResponse(long number, BulkResponseSummary reply) {
      if (reply.writtenCount() > 0) {
        written.add(new AcknowledgedBulk(number * DOCUMENTS, reply.ids()));
      }
    }
  }

  void run(double seconds) throws IOException {
    index.create(INDEX, SHARDS);
    out.printf("soak: bulks of %d by %d clients for %.0f s%n", DOCUMENTS, CLIENTS, seconds);
    CompletableFuture<BulkLoadGenerator.Result> load =
        CompletableFuture.supplyAsync(() ->
            BulkLoadGenerator.run(
                gateway.address(),
                new NumberedBulkSource(),
                DOCUMENTS,
                CLIENTS,
                seconds,
                PAUSE_SECONDS));
    int kills = 0;
    while (!load.isDone()) {
      pause(MAX_UP_SECONDS);
      if (!load.isDone()) {
        killAndRestart(cluster.node(random.nextInt(DATA_NODES)));
        kills++;
      }
    }
    BulkLoadGenerator.Result seen = load.join();
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
    verdicts.checkTrue(
        "soak",
        "nodes were killed while documents were acknowledged",
        kills > 0 && seen.written() > 0);
    new DurabilityCheck(out, INDEX, lines, cluster.node(0), gateway).check(written, verdicts);
    index.delete(INDEX);
  }

  private void killAndRestart(DataNode node) {
    long begin = System.nanoTime();
    node.kill();
    pause(MAX_DOWN_SECONDS);
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
