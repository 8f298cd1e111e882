package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.gateway.admission.RejectionRecorder;
import dev.weir.gateway.admission.RequestLimits;
import dev.weir.gateway.admission.SharedMemory;
import dev.weir.gateway.cluster.SharedResources;
import dev.weir.gateway.network.CertificateWatcher;
import dev.weir.gateway.network.TlsContextFactory;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.observe.SearchMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import java.util.concurrent.TimeUnit;

/**
 * What all clusters behind the gateway share. Safe on any thread.
 *
 * @param resources threads, limits and memory
 * @param reductions runs large reductions
 * @param longRequests runs long requests
 * @param features the features that all clusters share
 */
record SharedServices(
    SharedResources resources,
    ReductionThreadPool reductions,
    LongRequestThreadPool longRequests,
    GatewayFeatures features) {
  /** How often arrays for large frames are given back that no frame needed since the last time. */
  private static final long TRIM_SECONDS = 10;

  /**
   * Creates the services, for a gateway or for a command that reaches clusters.
   *
   * @param policies where each part registers its section of a request's policy
   * @param closers closes what this method creates
   */
  static SharedServices create(
      GatewayPolicy policy,
      PolicySectionRegistry<PolicySettings> policies,
      EventLoops loops,
      SearchMetrics searches,
      GatewayFeatures.ShadowHost shadowHost,
      CloseableStack closers) {
    SharedResources resources =
        new SharedResources(
            policies,
            loops,
            limits(policy, policies),
            new SharedMemory(
                new MemoryPool(policy.admission().maxTotalResponseBytes().bytes()),
                TransportMemory.forThisJvm(policy.clusters().size()),
                new HeapBytesEstimator()),
            new TlsContextFactory(closers.add(new CertificateWatcher())));
    loops
        .loop(0)
        .scheduleWithFixedDelay(
            resources.memory().transport()::trim, TRIM_SECONDS, TRIM_SECONDS, TimeUnit.SECONDS);
    return new SharedServices(
        resources,
        closers.add(new ReductionThreadPool(searches)),
        closers.add(new LongRequestThreadPool(resources.scheduler())),
        new GatewayFeatures(policy, resources, shadowHost, closers));
  }

  private static RequestLimits limits(
      GatewayPolicy policy, PolicySectionRegistry<PolicySettings> policies) {
    AdmissionPolicy admission = policy.admission();
    return new RequestLimits(
        new ConcurrencyLimiter(admission.maxInFlight(), admission.retryAfter()),
        new PolicyBulkheads(
            policies.narrow(settings ->
                new PolicyBulkheads.Limits(settings.maxInFlight(), settings.retryAfter()))),
        new RejectionRecorder(
            RecentRoutingDecisions.rejections(
                policy.routing().explain().maxRequests(), System::currentTimeMillis)));
  }
}
