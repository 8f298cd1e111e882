package dev.weir.bench.state;

import dev.weir.bench.state.ClusterStateGenerator.ClusterSize;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.read.Identity;
import dev.weir.cluster.read.ResponseInput;
import dev.weir.cluster.read.StateDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.bytes.BytesArray;

/** Follows a large cluster from responses in memory. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClusterStateBenchmark {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  /** Indices, shards and replicas of each, and nodes. */
  @Param({"5000x5x1@50", "10000x5x1@500"})
  public String size = "";

  private final StateDecoder decoder = new StateDecoder(new StateReadCounts());
  private BytesArray[] routing = {};
  private BytesArray[] moved = {};
  private BytesArray[] remapped = {};
  private ClusterView view = ClusterView.empty(0);
  private long version;
  private int turn;

  public ClusterStateBenchmark() {}

  /** Generates three states: the first one, one with a moved shard, one with another mapping. */
  @Setup
  public void generate() throws IOException {
    ClusterStateGenerator generator = new ClusterStateGenerator(ClusterSize.parse(size));
    ClusterState first = generator.generate();
    String index = ClusterStateGenerator.indexName(77);
    ClusterState other = generator.move(first, index);
    moved =
        new BytesArray[] {ClusterStateGenerator.write(first), ClusterStateGenerator.write(other)};
    remapped =
        new BytesArray[] {
          ClusterStateGenerator.write(generator.changeMapping(other, index)),
          ClusterStateGenerator.write(
              generator.changeMapping(generator.changeMapping(other, index), index))
        };
    routing =
        new BytesArray[] {
          ClusterStateGenerator.writeRouting(first, index),
          ClusterStateGenerator.writeRouting(other, index)
        };
    view = new ClusterView(decoder.read(open(moved[0])), Map.of(), 0, false);
    version = first.version();
  }

  /** Reads the routing of an index of which a shard has moved, and creates the view with it. */
  @Benchmark
  public ClusterView applyMovedShard() throws IOException {
    ClusterState read = decoder.readSmall(open(routing[++turn & 1]));
    ClusterView next = view.withRouting(read.routingTable(), ++version);
    if (Identity.isSame(next, view)) {
      throw new IllegalStateException("got the same view (expected: one with the moved shard)");
    }
    view = next;
    return next;
  }

  /** Reads the whole state after a shard has moved. */
  @Benchmark
  public ClusterState readMovedShard() throws IOException {
    return decoder.read(open(moved[++turn & 1]));
  }

  /** Reads the whole state after the mapping of an index has changed. */
  @Benchmark
  public Metadata readMapping() throws IOException {
    return decoder.read(open(remapped[++turn & 1])).metadata();
  }

  /** Reads the first state of a cluster, and creates the view. */
  @Benchmark
  public ClusterView load() throws IOException {
    StateDecoder fresh = new StateDecoder(new StateReadCounts());
    return new ClusterView(fresh.read(open(moved[0])), Map.of(), 0, false);
  }

  private static ResponseInput open(BytesArray bytes) {
    return new ResponseInput(bytes, Version.CURRENT, REGISTRIES.writeables());
  }
}
