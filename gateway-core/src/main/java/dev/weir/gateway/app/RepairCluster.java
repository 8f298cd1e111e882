package dev.weir.gateway.app;

import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.actions.Actions;
import dev.weir.gateway.actions.DirectedBulks;
import dev.weir.gateway.actions.DocumentActions;
import dev.weir.gateway.actions.dual.ClusterDocuments;
import dev.weir.gateway.cluster.IndexNames;
import dev.weir.gateway.coordinate.Environment;
import dev.weir.gateway.coordinate.TrackedSender;
import dev.weir.gateway.parse.RestThreadContext;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.write.MintedIds;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One cluster as a repair reaches it: over transport, with what the configuration says of it. */
final class RepairCluster implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(60);

  private final String name;
  private final Backend backend;
  private final RestThreadContext context;
  private final ClusterDocuments documents;

  private RepairCluster(
      String name, Backend backend, RestThreadContext context, ClusterDocuments documents) {
    this.name = name;
    this.backend = backend;
    this.context = context;
    this.documents = documents;
  }

  /**
   * Begins to reach a cluster.
   *
   * @throws IllegalArgumentException when the configuration names none like this
   */
  static RepairCluster of(
      GatewayPolicy policy, String name, EventLoops loops, OpenSearchRegistries registries)
      throws IOException {
    ClusterPolicy cluster = policy.clusters().get(name);
    if (cluster == null) {
      throw new IllegalArgumentException(
          "got a cluster " + name + " (expected: one of " + policy.clusters().keySet() + ")");
    }
    Backend backend = Backend.of(alone(policy, name, cluster), loops, registries, () -> false);
    RestThreadContext context = new RestThreadContext(registries.settings());
    Environment environment =
        new Environment(
            new TrackedSender(backend.clients(), backend.loads(), backend.queues().lanes()),
            backend.follower(),
            new LoopDelays(loops.group()),
            System::nanoTime,
            backend.tail(),
            backend.binder(),
            backend.queues());
    Actions actions =
        DocumentActions.addTo(
                Actions.builder(),
                environment.with(backend.flow()),
                new IndexNames(context.threadContext()),
                backend.recent(),
                new DirectedBulks(
                    backend.directed(),
                    new MintedIds(
                        System::currentTimeMillis, ThreadLocalRandom.current().nextLong()),
                    backend.wayIn().merging()),
                backend.wayIn())
            .build();
    backend.follower().start();
    return new RepairCluster(
        name, backend, context, new ClusterDocuments(actions, loops.group().next(), ANSWER));
  }

  private static GatewayPolicy alone(GatewayPolicy policy, String name, ClusterPolicy cluster) {
    return new GatewayPolicy(
        Map.of(name, cluster),
        policy.traffic(),
        policy.routes(),
        policy.policies(),
        policy.http(),
        policy.admin(),
        policy.routing(),
        policy.bulk(),
        policy.admission(),
        policy.search(),
        policy.responses(),
        policy.observability());
  }

  /** Waits until the cluster was heard from. */
  void awaitReady() throws IOException, InterruptedException {
    try {
      backend.follower().first().toCompletableFuture().get(READY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String why = backend.unreachable();
      throw new IOException(
          "can't reach cluster "
              + name
              + " within "
              + READY.toSeconds()
              + "s"
              + (why == null ? "" : ": " + why),
          e);
    } catch (ExecutionException e) {
      throw new IOException("can't follow cluster " + name, e);
    }
  }

  ClusterDocuments documents() {
    return documents;
  }

  @Override
  public void close() {
    backend.close();
    context.close();
  }
}
