package dev.weir.bench.follow;

import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterFollowerOptions;
import dev.weir.cluster.NodeConnector;
import dev.weir.cluster.SeedHosts;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The parts of some gateways that follow a cluster, each with connections of its own. */
final class FollowingGateways implements AutoCloseable {
  private final EventLoops loops = EventLoops.start(1);
  private final List<TransportClients> clients = new ArrayList<>();
  private final List<ClusterFollower> followers = new ArrayList<>();

  private FollowingGateways() {}

  /** Starts followers with the default options, and waits until each has a view. */
  static FollowingGateways start(int count, List<String> seeds) {
    FollowingGateways gateways = new FollowingGateways();
    SplittableRandom random = new SplittableRandom();
    for (int i = 0; i < count; i++) {
      OpenSearchRegistries registries = OpenSearchRegistries.create();
      TransportClients connections =
          new TransportClients(
              gateways.loops,
              registries.writeables(),
              TransportOptions.defaults(),
              TransportMemory.forThisJvm(1),
              random.split());
      gateways.clients.add(connections);
      ClusterFollower follower =
          new ClusterFollower(
              ClusterFollowerOptions.of(new SeedHosts(seeds)),
              NodeConnector.of(connections),
              registries,
              System::nanoTime,
              random.split());
      gateways.followers.add(follower);
      follower.start();
    }
    gateways.followers.forEach(follower -> follower.firstView().toCompletableFuture().join());
    return gateways;
  }

  List<ClusterFollower> followers() {
    return followers;
  }

  /** Returns the bytes of all states that were read. */
  long readBytes() {
    return followers.stream().mapToLong(follower -> follower.readCounts().bytes()).sum();
  }

  /** Returns how often a whole state was read. */
  long wholeReads() {
    return followers.stream().mapToLong(follower -> follower.readCounts().wholeReads()).sum();
  }

  /** Returns how often the routing of some indices was read. */
  long routingReads() {
    return followers.stream().mapToLong(follower -> follower.readCounts().routingReads()).sum();
  }

  /** Returns how many steps from one state to the next were read. */
  long diffs() {
    return followers.stream().mapToLong(follower -> follower.readCounts().diffs()).sum();
  }

  @Override
  public void close() {
    followers.forEach(ClusterFollower::close);
    clients.forEach(TransportClients::close);
    loops.close();
  }
}
