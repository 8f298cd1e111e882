package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteService;
import dev.weir.bluegreen.dual.DualWriteStatsReporter;
import dev.weir.bluegreen.shadow.ShadowEnvironment;
import dev.weir.bluegreen.shadow.ShadowReads;
import dev.weir.bluegreen.shadow.ShadowStatsReporter;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.ceiling.NodeCeilings;
import dev.weir.core.actions.deadline.DeadlineStatsReporter;
import dev.weir.gateway.cluster.SharedResources;
import dev.weir.gateway.history.HistoryStatsReporter;
import dev.weir.gateway.history.RequestHistory;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicies;
import dev.weir.observe.StatsReporter;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.export.ExportStatsReporter;
import dev.weir.responses.sampling.SamplingStatsReporter;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;
import dev.weir.responses.trim.TrimmingStatsReporter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * The features that all clusters share; those that each cluster has for itself are in {@link
 * ClusterFeatures}. One statement registers a feature: it creates the feature from its section of
 * the policy, and the reporter with its metrics, its section of {@code /stats} and its pages.
 *
 * <p>To take a feature out, delete its package and its statement here. The compiler then names the
 * line of its filter in {@link RequestPipeline}, or its argument in {@link CoordinationPipeline}.
 * Safe on any thread.
 */
final class GatewayFeatures {
  private final List<StatsReporter> reporters = new ArrayList<>();
  private final DeadlineService deadlines;
  private final ResponseTrimmer trimming;
  private final SearchSampler sampling;
  private final NodeCeilings nodeCeilings;
  private final ExportCounts exports;
  private final DualWriteService dualWrites;
  private final ShadowReads shadowReads;
  private final RequestHistory history;

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
   * Creates the features, in the order in which {@code /stats} shows them.
   *
   * @param closers closes the features that have something to close
   */
  GatewayFeatures(
      GatewayPolicy policy, SharedResources shared, ShadowHost shadowHost, CloseableStack closers) {
    PolicySectionRegistry<PolicySettings> policies = shared.policySections();
    this.deadlines =
        register(
            DeadlineService.create(policies.narrow(PolicySettings::deadline), shared.scheduler()),
            service -> new DeadlineStatsReporter(service.counts(), service.taskBans()));
    this.trimming =
        register(
            new ResponseTrimmer(policies.narrow(PolicySettings::trimming)),
            TrimmingStatsReporter::new);
    this.exports = register(new ExportCounts(), ExportStatsReporter::new);
    this.sampling =
        register(
            new SearchSampler(
                policies.narrow(PolicySettings::sampling),
                () -> ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE)),
            sampler -> new SamplingStatsReporter(sampler.counts()));
    this.nodeCeilings = new NodeCeilings(policies.narrow(PolicySettings::requestMemory));
    this.dualWrites =
        register(
            closers.add(
                new DualWriteService(
                    policy.clusters().keySet(),
                    policies.narrow(PolicySettings::traffic),
                    shared.scheduler())),
            service -> new DualWriteStatsReporter(service.counts(), service::openIntents));
    this.shadowReads =
        register(
            closers.add(
                new ShadowReads(
                    policies.narrow(PolicySettings::traffic),
                    shadowEnvironment(shared, shadowHost),
                    shadowHost::onCompared)),
            shadow -> new ShadowStatsReporter(shadow.service()));
    this.history =
        register(
            closers.add(new RequestHistory(RequestHistory.Clocks.system())),
            HistoryStatsReporter::new);
  }

  private <T> T register(T feature, Function<T, StatsReporter> reporter) {
    reporters.add(reporter.apply(feature));
    return feature;
  }

  private static ShadowEnvironment shadowEnvironment(SharedResources shared, ShadowHost host) {
    return new ShadowEnvironment(
        host::isBusy,
        new ShadowEnvironment.Execution(
            shared.eventLoops().group()::next,
            request -> host.openMemory(request.method(), request.uri()),
            shared.scheduler()::scheduleCancellable),
        new ShadowEnvironment.Clocks(System::nanoTime, System::currentTimeMillis),
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /** The reporters of all features, in the order of {@code /stats}. */
  List<StatsReporter> reporters() {
    return List.copyOf(reporters);
  }

  /** Follows the policies that requests are given from now on. */
  void setPolicies(RequestPolicies policies) {
    trimming.retainProfiles(policies);
    dualWrites.setPolicies(policies);
  }

  DeadlineService deadlines() {
    return deadlines;
  }

  ResponseTrimmer trimming() {
    return trimming;
  }

  SearchSampler sampling() {
    return sampling;
  }

  NodeCeilings nodeCeilings() {
    return nodeCeilings;
  }

  ExportCounts exportCounts() {
    return exports;
  }

  DualWriteService dualWrites() {
    return dualWrites;
  }

  ShadowReads shadowReads() {
    return shadowReads;
  }

  RequestHistory history() {
    return history;
  }
}
