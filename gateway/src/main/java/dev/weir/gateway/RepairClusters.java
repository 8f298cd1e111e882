package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.model.PolicyCompiler;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The clusters of a configuration as a repair reaches them: as a gateway does, over transport, with
 * the same certificates. A cluster is reached when it is asked for. Safe on any thread.
 */
final class RepairClusters implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);
  private static final int THREADS = 2;

  private final CloseableStack closers = new CloseableStack();
  private final GatewayPolicy policy;
  private final SharedServices commons;
  private final Map<String, ClusterDocumentClient> clusters = new HashMap<>();

  RepairClusters(GatewayPolicy policy) {
    this.policy = policy;
    EventLoops loops = closers.add(EventLoops.start(THREADS));
    ThreadPoolExecutor reductions = ReductionThreadPool.create();
    closers.add(reductions::shutdownNow);
    EventLoopScheduler delays = new EventLoopScheduler(loops.group());
    PolicyCompiler<PolicySettings> policies = new PolicyCompiler<>(policy.defaultPolicySettings());
    this.commons =
        new SharedServices(
            policies,
            loops,
            new ConcurrencyLimiter(
                policy.admission().maxInFlight(), policy.admission().retryAfter()),
            new PolicyBulkheads(policies.narrow(says -> PolicyBulkheads.Limits.NONE)),
            new MemoryPool(policy.admission().maxTotalResponseBytes().bytes()),
            TransportMemory.forThisJvm(policy.clusters().size()),
            RecentRoutingDecisions.rejections(1, System::currentTimeMillis),
            DeadlineService.create(policies.narrow(PolicySettings::deadline), delays),
            new HeapBytesEstimator(),
            new ResponseTrimmer(policies.narrow(PolicySettings::trimming)),
            new SearchSampler(policies.narrow(PolicySettings::sampling), () -> 0),
            new ExportCounts(),
            closers.add(new PrometheusMetrics()).searches(),
            reductions,
            closers.add(
                new DualWriteService(
                    policy.clusters().keySet(), policies.narrow(PolicySettings::traffic), delays)),
            false);
  }

  /**
   * A cluster's documents.
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
      ClusterRuntime side =
          closers.add(
              ClusterRuntime.create(
                  name, () -> policy, commons, OpenSearchRegistries.create(), null));
      side.connection().follower().start();
      ClusterDocumentClient documents =
          new ClusterDocumentClient(
              side.pipeline().actions(), commons.eventLoops().group().next(), RESPONSE_TIMEOUT);
      clusters.put(name, documents);
      awaitReady(side);
      return documents;
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException("interrupted", e);
    }
  }

  private static void awaitReady(ClusterRuntime side) throws IOException, InterruptedException {
    try {
      side.connection()
          .follower()
          .firstView()
          .toCompletableFuture()
          .get(READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String why = side.connection().unavailableReason();
      throw new IOException(
          "can't reach cluster " + side.name() + (why == null ? "" : ": " + why), e);
    } catch (ExecutionException e) {
      throw new IOException("can't follow cluster " + side.name(), e);
    }
  }

  @Override
  public void close() {
    closers.close();
  }
}
