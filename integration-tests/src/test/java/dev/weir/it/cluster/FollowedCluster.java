package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterFollowerOptions;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.NodeConnector;
import dev.weir.cluster.SeedHosts;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A cluster that a separate gateway follows. */
final class FollowedCluster implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final EventLoops loops = EventLoops.start(1);
  private final LinkedBlockingQueue<ClusterView> changes = new LinkedBlockingQueue<>();
  private final List<ClusterView> seen = new CopyOnWriteArrayList<>();
  private final TransportClients clients;
  private final ClusterFollower follower;

  FollowedCluster(List<String> seeds, OpenSearchRegistries registries) {
    this(seeds, registries, UnaryOperator.identity());
  }

  /**
   * Follows a cluster.
   *
   * @param change the connections of the follower
   */
  FollowedCluster(
      List<String> seeds, OpenSearchRegistries registries, UnaryOperator<NodeConnector> change) {
    this.clients =
        new TransportClients(
            loops,
            registries.writeables(),
            TransportOptions.defaults(),
            TransportMemory.forThisJvm(1),
            new SplittableRandom(TestSeed.random(FollowedCluster.class).nextLong()));
    this.follower =
        new ClusterFollower(
            ClusterFollowerOptions.of(new SeedHosts(seeds)),
            change.apply(NodeConnector.of(clients)),
            registries,
            System::nanoTime,
            new SplittableRandom(TestSeed.random(FollowedCluster.class).nextLong()));
    follower.addListener((before, now) -> {
      changes.add(now);
      seen.add(now);
    });
    follower.start();
  }

  ClusterFollower follower() {
    return follower;
  }

  /** Returns the connections to the nodes. */
  NodeClients clients() {
    return clients;
  }

  /** Returns all views since the start. */
  List<ClusterView> seen() {
    return seen;
  }

  /** Waits for a view that fulfils a condition. */
  ClusterView await(Predicate<ClusterView> like) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    if (like.test(follower.current())) {
      return follower.current();
    }
    while (true) {
      @Nullable ClusterView next = changes.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(next)
          .as("a view like this in time; newest %s, %s", follower.current(), follower.status())
          .isNotNull();
      if (next != null && like.test(next)) {
        return next;
      }
    }
  }

  /** Waits for a status. */
  void awaitStatus(Predicate<dev.weir.cluster.ClusterStatus> like) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!like.test(follower.status())) {
      assertThat(System.nanoTime())
          .as("a status like this in time; got %s", follower.status())
          .isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  @Override
  public void close() {
    follower.close();
    clients.close();
    loops.close();
  }
}
