package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterFollowerOptions;
import dev.weir.cluster.ClusterStatus;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.NodeConnector;
import dev.weir.cluster.SeedHosts;
import dev.weir.it.faults.Await;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
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
  ClusterView await(Predicate<ClusterView> like) {
    ClusterView newest = follower.current();
    AtomicReference<@Nullable ClusterView> found =
        new AtomicReference<>(like.test(newest) ? newest : null);
    boolean inTime = Await.holds(TIMEOUT, () -> found.get() != null || findChange(like, found));
    assertThat(inTime)
        .as("a view like this in time; newest %s, %s", follower.current(), follower.status())
        .isTrue();
    return Objects.requireNonNull(found.get());
  }

  /** Returns whether one of the views since the last wait fulfils a condition, the first such. */
  private boolean findChange(
      Predicate<ClusterView> like, AtomicReference<@Nullable ClusterView> found) {
    for (ClusterView next = changes.poll(); next != null; next = changes.poll()) {
      if (like.test(next)) {
        found.set(next);
        return true;
      }
    }
    return false;
  }

  /** Waits for a status. */
  void awaitStatus(Predicate<ClusterStatus> like) {
    Await.untilValue("a status like this", follower::status, like);
  }

  @Override
  public void close() {
    follower.close();
    clients.close();
    loops.close();
  }
}
