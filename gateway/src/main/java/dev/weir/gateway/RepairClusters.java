package dev.weir.gateway;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.model.PolicyCompiler;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects a repair to the clusters of a configuration, as a gateway does: over the transport
 * protocol, with the same certificates. Connects at the first call for a cluster. Safe on any
 * thread.
 */
final class RepairClusters implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);
  private static final int THREADS = 2;

  private final CloseableStack closers = new CloseableStack();
  private final GatewayPolicy policy;
  private final SharedServices shared;
  private final Map<String, ClusterDocumentClient> clusters = new HashMap<>();

  RepairClusters(GatewayPolicy policy) {
    this.policy = policy;
    EventLoops loops = closers.add(EventLoops.start(THREADS));
    this.shared =
        SharedServices.create(
            policy,
            new PolicyCompiler<>(policy.defaultPolicySettings()),
            loops,
            closers.add(new PrometheusMetrics()).searches(),
            GatewayFeatures.ShadowHost.NONE,
            closers);
  }

  /**
   * Reads and writes a cluster's documents. Waits until the cluster is known; others wait
   * meanwhile.
   *
   * @throws IllegalArgumentException when it can't be reached
   */
  synchronized ClusterDocumentClient documents(String name) {
    ClusterDocumentClient known = clusters.get(name);
    if (known != null) {
      return known;
    }
    if (!policy.clusters().containsKey(name)) {
      throw new IllegalArgumentException(
          "got cluster " + name + " (expected: one of " + policy.clusters().keySet() + ")");
    }
    try {
      ClusterRuntime cluster =
          closers.add(
              new ClusterRuntime(name, policy, shared, OpenSearchRegistries.create(), null));
      cluster.connection().nodes().follower().start();
      ClusterDocumentClient documents =
          new ClusterDocumentClient(
              cluster.actions(), shared.resources().eventLoops().group().next(), RESPONSE_TIMEOUT);
      awaitReady(cluster);
      clusters.put(name, documents);
      return documents;
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException("interrupted", e);
    }
  }

  private static void awaitReady(ClusterRuntime cluster) throws IOException, InterruptedException {
    try {
      cluster
          .connection()
          .nodes()
          .follower()
          .firstView()
          .toCompletableFuture()
          .get(READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String reason = cluster.connection().nodes().unavailableReason();
      throw new IOException(
          "can't reach cluster " + cluster.name() + (reason == null ? "" : ": " + reason), e);
    } catch (ExecutionException e) {
      throw new IOException("can't follow cluster " + cluster.name(), e);
    }
  }

  @Override
  public void close() {
    closers.close();
  }
}
