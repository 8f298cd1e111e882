package dev.weir.bench.selection;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Ranks the three copies of a shard on nodes with known load. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CopySelectionBenchmark {
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /** The routing algorithm, as named in the configuration. */
  @Param({"adaptive", "c3", "least-outstanding", "round-robin"})
  public String policy = "adaptive";

  private final ShardCopy[] copies = new ShardCopy[3];
  private ReplicaSelector selector = (any, count, phase) -> {};
  private NodeLoadRecorder loads =
      (node, phase, costClass) -> {
        throw new IllegalStateException("got no tracker (expected: set up before)");
      };

  /** Records responses of each node. */
  @Setup
  public void warmUp() {
    Algorithm choice =
        Algorithm.valueOf(policy.toUpperCase(java.util.Locale.ROOT).replace('-', '_'));
    RoutingPolicy.Exploration exploration =
        new RoutingPolicy.Exploration(Duration.ofMillis(500), 0.02);
    RoutingPolicy.Health health =
        new RoutingPolicy.Health(
            20,
            Duration.ofSeconds(2),
            3,
            Duration.ofMillis(500),
            Duration.ofSeconds(16),
            32,
            exploration);
    RoutingPolicy routing =
        new RoutingPolicy(
            choice,
            List.of(),
            1,
            0.05,
            new RoutingPolicy.Adaptive(13, 4),
            new RoutingPolicy.C3(1, 0.3, 3, Duration.ofSeconds(2)),
            health);
    NodeLoadTracker tracker = new NodeLoadTracker(routing, System::nanoTime, RANDOM);
    loads = tracker;
    selector = new PolicyAwareSelector(tracker, routing, System::nanoTime, RANDOM);
    for (int i = 0; i < copies.length; i++) {
      String node = "Hq3x-kBfQ9yZ2mUeV7tW1" + i;
      copies[i] = new ShardCopy(node, "allocation" + i, i == 0, false, Map.of());
      for (int n = 0; n < 100; n++) {
        tracker.startRequest(node, Phase.QUERY).onResponse(n % 3, 1_000_000L * (i + 1) + n);
      }
      tracker.startRequest(node, Phase.QUERY);
    }
  }

  /** Ranks the copies in place. */
  @Benchmark
  public ShardCopy order() {
    selector.order(copies, copies.length, Phase.QUERY);
    return copies[0];
  }

  /** Records a request and its response: the cost of learning. */
  @Benchmark
  public void recordExchange() {
    loads.startRequest(copies[0].nodeId(), Phase.QUERY).onResponse(1, System.nanoTime() & 0xFFFFF);
  }
}
