package dev.weir.routing.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shards on nodes that execute one bulk after the other, in virtual time. */
class ShardWriteBalancerTest {
  private static final int NODES = 3;
  private static final int SHARDS = 120;

  private final SplittableRandom random = new SplittableRandom(11);
  private final double[] nanosPerByte = {10, 10, 10};
  private final long[] freeAt = new long[NODES];
  private final PriorityQueue<Long> clients = new PriorityQueue<>();
  private final String[][] copies =
      IntStream.range(0, SHARDS)
          .mapToObj(shard -> new String[] {"n" + shard % NODES})
          .toArray(String[][]::new);
  private final long[] documents = new long[SHARDS];
  private final long[] bytes = new long[SHARDS];
  private final ShardWriteBalancer shares = new ShardWriteBalancer(SHARDS);
  private long now;

  private static int number(String node) {
    return node.charAt(1) - '0';
  }

  private double cost(String node) {
    int number = number(node);
    return Math.max(0, freeAt[number] - now) + 500_000 * nanosPerByte[number];
  }

  /** Clients that each send the next bulk when the last one is written. */
  private void write(int bulks, int concurrent) {
    while (clients.size() > concurrent) {
      clients.remove();
    }
    while (clients.size() < concurrent) {
      clients.add(now);
    }
    for (int i = 0; i < bulks; i++) {
      now = Math.max(now, clients.remove());
      int many = 1 + random.nextInt(2000);
      long size = many * (100L + random.nextInt(2000));
      WriteVolume amount = new WriteVolume(many, size);
      int shard = shares.chooseShard(copies, this::cost, amount, now, random);
      shares.recordPlacement(shard, amount);
      documents[shard] += many;
      bytes[shard] += size;
      long written = now;
      for (String copy : copies[shard]) {
        int node = number(copy);
        freeAt[node] = Math.max(now, freeAt[node]) + (long) (size * nanosPerByte[node]);
        written = Math.max(written, freeAt[node]);
      }
      clients.add(written);
    }
  }

  private static double spread(long[] given) {
    return (double) Arrays.stream(given).max().orElseThrow()
        / Math.max(1, Arrays.stream(given).min().orElseThrow());
  }

  private double shareOf(int node) {
    long own = 0;
    for (int shard = node; shard < bytes.length; shard += NODES) {
      own += bytes[shard];
    }
    return (double) own / Arrays.stream(bytes).sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 64})
  void shardsGetTheSameInDocumentsAndBytes(int concurrent) {
    write(40_000, concurrent);
    assertThat(spread(bytes)).isLessThan(1.05);
    assertThat(spread(documents)).isLessThan(1.05);
  }

  @Test
  void sendASlowNodeWhatItCanProcess() {
    write(10_000, 8);
    Arrays.fill(bytes, 0);
    nanosPerByte[1] = 100;
    long before = now;
    write(5_000, 8);
    double slowed = (double) (now - before);
    assertThat(shareOf(1)).isBetween(0.001, 0.15);
    nanosPerByte[1] = 10;
    before = now;
    Arrays.fill(bytes, 0);
    write(5_000, 8);
    assertThat(slowed / (now - before)).as("the time that the slow node cost").isLessThan(2);
    Arrays.fill(bytes, 0);
    write(1_000, 2);
    assertThat(shareOf(1)).as("more than its share, and not all").isBetween(0.36, 0.75);
    write(40_000, 8);
    Arrays.fill(bytes, 0);
    write(40_000, 8);
    assertThat(spread(bytes)).isLessThan(1.05);
  }

  /** Each shard has a replica on one of the two other nodes, in turn. */
  private void replicate() {
    for (int shard = 0; shard < SHARDS; shard++) {
      int other = (shard + 1 + shard / NODES % 2) % NODES;
      copies[shard] = new String[] {"n" + shard % NODES, "n" + other};
    }
  }

  @Test
  void spareASlowReplicaToo() {
    replicate();
    write(10_000, 8);
    Arrays.fill(bytes, 0);
    nanosPerByte[1] = 100;
    long before = now;
    write(5_000, 8);
    double slowed = (double) (now - before);
    long slow = 0;
    for (int shard = 0; shard < SHARDS; shard++) {
      slow += Arrays.asList(copies[shard]).contains("n1") ? bytes[shard] : 0;
    }
    assertThat((double) slow / Arrays.stream(bytes).sum()).isBetween(0.001, 0.25);
    nanosPerByte[1] = 10;
    before = now;
    write(5_000, 8);
    assertThat(slowed / (now - before)).as("the time that the slow node cost").isLessThan(2.2);
  }

  @Test
  void shardsWithReplicasGetTheSameToo() {
    replicate();
    write(40_000, 8);
    assertThat(spread(bytes)).isLessThan(1.05);
    assertThat(spread(documents)).isLessThan(1.05);
  }

  @Test
  void skipShardsWithoutAnActivePrimary() {
    copies[7] = new String[0];
    write(5_000, 8);
    assertThat(bytes[7]).isZero();
    Arrays.fill(copies, new String[0]);
    assertThat(shares.chooseShard(copies, this::cost, new WriteVolume(1, 1), now, random))
        .isEqualTo(-1);
  }
}
