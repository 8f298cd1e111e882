package dev.weir.gateway;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.Treatment;
import dev.weir.bluegreen.dual.ClusterDocuments;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.core.actions.sample.Sampling;
import dev.weir.core.actions.trim.Trimming;
import dev.weir.responses.export.ExportCounts;
import dev.weir.observe.Metrics;
import dev.weir.model.PolicyCompiler;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.registry.OpenSearchRegistries;
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
  private static final Duration READY = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final int THREADS = 2;

  private final Closers closers = new Closers();
  private final GatewayPolicy policy;
  private final Commons commons;
  private final Map<String, ClusterDocuments> clusters = new HashMap<>();

  RepairClusters(GatewayPolicy policy) {
    this.policy = policy;
    EventLoops loops = closers.add(EventLoops.start(THREADS));
    ThreadPoolExecutor reductions = Reductions.pool();
    closers.add(reductions::shutdownNow);
    LoopDelays delays = new LoopDelays(loops.group());
    PolicyCompiler<Treatment> policies = new PolicyCompiler<>(policy.treatment());
    this.commons =
        new Commons(
            policies,
            loops,
            new AdmissionController(
                policy.admission().maxInFlight(), policy.admission().retryAfter()),
            new Bulkheads(policies.of(says -> Bulkheads.Terms.NONE)),
            new MemoryLedger(policy.admission().maxReplyBytes().bytes()),
            TransportMemory.standard(policy.clusters().size()),
            RecentChoices.refusals(1, System::currentTimeMillis),
            DeadlineDesk.of(policies.of(Treatment::deadline), delays),
            new CostEstimator(),
            new Trimming(policies.of(Treatment::trimming)),
            new Sampling(policies.of(Treatment::sampling), () -> 0),
            new ExportCounts(),
            closers.add(new Metrics()).searches(),
            reductions,
            closers.add(
                new DualDesk(policy.clusters().keySet(), policies.of(Treatment::traffic), delays)),
            false);
  }

  /**
   * A cluster's documents.
   *
   * @throws IllegalArgumentException when it can't be reached
   */
  synchronized ClusterDocuments documents(String name) {
    ClusterDocuments known = clusters.get(name);
    if (known != null) {
      return known;
    }
    if (!policy.clusters().containsKey(name)) {
      throw new IllegalArgumentException(
          "got cluster " + name + " (expected: one of " + policy.clusters().keySet() + ")");
    }
    try {
      Side side =
          closers.add(Side.of(name, () -> policy, commons, OpenSearchRegistries.create(), null));
      side.backend().follower().start();
      ClusterDocuments documents =
          new ClusterDocuments(side.walk().actions(), commons.loops().group().next(), ANSWER);
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

  private static void awaitReady(Side side) throws IOException, InterruptedException {
    try {
      side.backend()
          .follower()
          .first()
          .toCompletableFuture()
          .get(READY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String why = side.backend().unreachable();
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
