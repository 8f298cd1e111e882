package dev.weir.bench.minting;

import dev.weir.routing.write.MintedIdGenerator;
import dev.weir.routing.write.RoutingHashLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Mints ids for the shards of an index in turn; a single-shard bulk needs one for each document.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IdMintingBenchmark {
  /** The default maximum of an index's routing shards in OpenSearch, which later splits use. */
  private static final int MAX_ROUTING_SHARDS = 1024;

  /** Primary shards of the index. */
  @Param({"12", "48", "100", "120"})
  public int shards = 100;

  private final MintedIdGenerator ids = new MintedIdGenerator(System::currentTimeMillis, 42);
  private RoutingHashLayout space = new RoutingHashLayout(1, 1);
  private int shard;

  /** Chooses as many routing shards as OpenSearch does for this number of shards. */
  @Setup
  public void assignShards() {
    int perShard = 1;
    while (2 * perShard * shards <= MAX_ROUTING_SHARDS) {
      perShard *= 2;
    }
    space = new RoutingHashLayout(perShard * shards, perShard);
  }

  /** Mints one id. */
  @Benchmark
  public String mint() {
    shard = shard + 1 == shards ? 0 : shard + 1;
    return ids.next(space, shard);
  }
}
