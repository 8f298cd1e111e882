package dev.weir.gateway;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.ClusterPolicy.Authorization;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.command.ChosenCluster;
import dev.weir.gateway.command.UsageException;
import dev.weir.model.PolicyCompiler;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects a repair to the clusters of a configuration, as a gateway does: over the transport
 * protocol, with the same certificates. It acts for an operator, not for a client of the gateway:
 * its calls name no user and have the rights of the certificate, also with {@code authorization:
 * gateway}. Connects at the first call for a cluster. Safe on any thread.
 */
final class RepairClusters implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);
  private static final int THREADS = 2;

  private final CloseableStack closers = new CloseableStack();
  private final GatewayPolicy policy;
  private final SharedServices shared;
  private final Map<String, ClusterDocumentClient> clusters = new HashMap<>();

  /** Why clusters can't be reached: the next document does not wait for them again. */
  private final Map<String, String> failures = new HashMap<>();

  RepairClusters(GatewayPolicy configured) {
    this.policy = withoutGatewayAuthorization(configured);
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

  /** Returns the policy with {@code delegate} for each cluster that has {@code gateway}. */
  static GatewayPolicy withoutGatewayAuthorization(GatewayPolicy policy) {
    Map<String, ClusterPolicy> clusters = new LinkedHashMap<>(policy.clusters());
    clusters.replaceAll((_, cluster) -> withoutGatewayAuthorization(cluster));
    return policy.withClusters(clusters);
  }

  private static ClusterPolicy withoutGatewayAuthorization(ClusterPolicy cluster) {
    return cluster.authorization() == Authorization.GATEWAY
        ? cluster.withAuthorization(Authorization.DELEGATE)
        : cluster;
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
    try {
      ChosenCluster.requireKnown(policy, name);
    } catch (UsageException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    String failure = failures.get(name);
    if (failure != null) {
      throw new IllegalArgumentException(failure);
    }
    try {
      return connect(name);
    } catch (IOException e) {
      failures.put(name, String.valueOf(e.getMessage()));
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException("interrupted", e);
    }
  }

  private ClusterDocumentClient connect(String name) throws IOException, InterruptedException {
    ClusterRuntime cluster =
        new ClusterRuntime(name, policy, shared, OpenSearchRegistries.create(), null);
    boolean isReady = false;
    try {
      cluster.connection().nodes().follower().start();
      awaitReady(cluster);
      isReady = true;
    } finally {
      if (!isReady) {
        cluster.close();
      }
    }
    closers.add(cluster);
    ClusterDocumentClient documents =
        new ClusterDocumentClient(
            cluster.actions(), shared.resources().eventLoops().group().next(), RESPONSE_TIMEOUT);
    clusters.put(name, documents);
    return documents;
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
