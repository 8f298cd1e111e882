package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.bluegreen.dual.DualWriteService;
import dev.weir.bluegreen.shadow.ShadowEnvironment;
import dev.weir.bluegreen.shadow.ShadowReads;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestMemory;
import dev.weir.observe.SearchMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;
import java.util.concurrent.ThreadLocalRandom;

/** Creates what all clusters share, for a gateway and for a command that reaches clusters. */
final class SharedServicesFactory {
  private final GatewayPolicy policy;
  private final PolicyCompiler<PolicySettings> policies;
  private final EventLoops loops;
  private final CloseableStack closers;

  /** What shadow reads need of the gateway. Called on any thread. */
  interface ShadowHost {
    /** A process without clients, which repeats no read. */
    ShadowHost NONE =
        new ShadowHost() {
          @Override
          public boolean isBusy() {
            return true;
          }

          @Override
          public RequestMemory openMemory(String method, String uri) {
            return RequestMemory.UNBOUNDED;
          }

          @Override
          public void onCompared(String scope, boolean different) {}
        };

    /** Whether the requests of clients leave no capacity for shadow reads. */
    boolean isBusy();

    RequestMemory openMemory(String method, String uri);

    void onCompared(String scope, boolean different);
  }

  /**
   * Creates a factory.
   *
   * @param closers closes what the factory creates
   */
  SharedServicesFactory(
      GatewayPolicy policy,
      PolicyCompiler<PolicySettings> policies,
      EventLoops loops,
      CloseableStack closers) {
    this.policy = policy;
    this.policies = policies;
    this.loops = loops;
    this.closers = closers;
  }

  SharedServices create(SearchMetrics searches, ShadowHost shadowHost) {
    return new SharedServices(
        policies,
        loops,
        limits(),
        new SharedMemory(
            new MemoryPool(policy.admission().maxTotalResponseBytes().bytes()),
            TransportMemory.forThisJvm(policy.clusters().size()),
            new HeapBytesEstimator()),
        closers.add(new ReductionThreadPool(searches)),
        features(new EventLoopScheduler(loops.group()), shadowHost));
  }

  private RequestLimits limits() {
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

  private GatewayFeatures features(EventLoopScheduler scheduler, ShadowHost shadowHost) {
    return new GatewayFeatures(
        DeadlineService.create(policies.narrow(PolicySettings::deadline), scheduler),
        new ResponseTrimmer(policies.narrow(PolicySettings::trimming)),
        new SearchSampler(
            policies.narrow(PolicySettings::sampling),
            () -> ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE)),
        new ExportCounts(),
        closers.add(
            new DualWriteService(
                policy.clusters().keySet(), policies.narrow(PolicySettings::traffic), scheduler)),
        closers.add(
            new ShadowReads(
                policies.narrow(PolicySettings::traffic),
                new ShadowEnvironment(
                    shadowHost::isBusy,
                    new ShadowEnvironment.Execution(
                        loops.group()::next,
                        request -> shadowHost.openMemory(request.method(), request.uri()),
                        scheduler::scheduleCancellable),
                    new ShadowEnvironment.Clocks(System::nanoTime, System::currentTimeMillis),
                    () -> ThreadLocalRandom.current().nextDouble()),
                shadowHost::onCompared)));
  }
}
