package dev.weir.gateway;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.model.PolicyCompiler;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

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

  /** Why clusters can't be reached: the next document does not wait for them again. */
  private final Map<String, String> failures = new HashMap<>();

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
   * Loads the configuration of a command.
   *
   * @param file null if the command line names none
   * @return null if there is none, or if it has problems, which are printed
   */
  static @Nullable GatewayPolicy loadPolicy(@Nullable Path file) {
    if (file == null) {
      return null;
    }
    return switch (new PolicyLoader(System.getenv()).load(file)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid invalid -> {
        System.err.print(invalid.render());
        yield null;
      }
    };
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
