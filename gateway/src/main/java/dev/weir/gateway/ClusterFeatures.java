package dev.weir.gateway;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.authorization.GatewayAuthorization;
import dev.weir.core.actions.authorization.GatewayAuthorizationStatsReporter;
import dev.weir.core.actions.forward.ForwardedSearchCounts;
import dev.weir.core.actions.forward.ForwardedSearchStatsReporter;
import dev.weir.core.actions.ingest.IngestCounts;
import dev.weir.core.actions.ingest.IngestStatsReporter;
import dev.weir.core.actions.partial.PartialReductionStatsReporter;
import dev.weir.core.actions.prune.PruningStatsReporter;
import dev.weir.core.actions.prune.TimePruningService;
import dev.weir.core.actions.warmup.WarmUpService;
import dev.weir.core.actions.warmup.WarmUpStatsReporter;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.batch.PartialReductionCounts;
import dev.weir.core.reduce.columns.ColumnFetchCounts;
import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.gateway.authorization.RestSecurityCheckClient;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.cluster.SharedResources;
import dev.weir.gateway.coalesce.CoalescingStatsReporter;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.gateway.reload.ReloadablePart;
import dev.weir.gateway.weights.NodeWeightPages;
import dev.weir.gateway.weights.NodeWeightService;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.observe.StatsReporter;
import dev.weir.responses.columnar.ColumnFetchStatsReporter;
import dev.weir.responses.export.ExportService;
import dev.weir.responses.trim.ClientKeyResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The features that each cluster has for itself. One statement registers a feature, as in {@link
 * GatewayFeatures}; a second one names the section of the configuration that it follows, unless it
 * reads its section from the policy of each request. Safe on any thread.
 */
final class ClusterFeatures implements AutoCloseable {
  private final List<StatsReporter> reporters = new ArrayList<>();
  private final List<ReloadablePart> reloadableParts = new ArrayList<>();
  private final GatewayAuthorization authorization;
  private final SearchCoalescer coalescing;
  private final TimePruningService timePruning;
  private final ForwardedSearchCounts forwardedSearches;
  private final ColumnFetchCounts columnFetches;
  private final IngestCounts ingestedBulks;
  private final PartialReductionCounts partialReductions;
  private final WarmUpService warmUp;
  private final ExportService exports;

  /**
   * Creates the features of a cluster, in the order in which {@code /stats} shows them.
   *
   * @param proxy reaches the nodes' REST ports
   */
  ClusterFeatures(GatewayPolicy policy, ClusterContext cluster, NodeProxy proxy) {
    ClusterConnection connection = cluster.connection();
    SharedResources shared = cluster.shared().resources();
    this.authorization =
        register(
            new GatewayAuthorization(
                () -> cluster.authorization().mode() == AuthorizationMode.GATEWAY,
                new GatewayAuthorization.NodeAccess(
                    connection.nodes().follower(),
                    connection.nodes().transportClients(),
                    RestSecurityCheckClient.through(proxy)),
                neutralHeaders(policy),
                new CoordinationTimers(shared.scheduler(), System::nanoTime),
                cluster.shared().reductions().executor()),
            GatewayAuthorizationStatsReporter::new);
    reloadableParts.add(
        ReloadablePart.ofSection(
            ClusterFeatures::neutralHeaders, authorization::updateNeutralHeaders));
    GatewayFeatures features = cluster.shared().features();
    this.coalescing =
        register(
            new SearchCoalescer(
                shared.policySections().narrow(PolicySettings::coalescing),
                () -> connection.nodes().follower().status().position(),
                new ClientKeyResolver(features.trimming())),
            CoalescingStatsReporter::new);
    connection
        .nodes()
        .follower()
        .addListener((before, after) -> {
          if (!after.isSameCluster(before)) {
            coalescing.onRefresh(); // a rebuilt cluster counts its states from the start
          }
        });
    this.timePruning =
        register(
            TimePruningService.create(
                policy.search().timePruning(),
                connection.nodes().follower(),
                connection.nodes().transportClients(),
                () -> cluster.authorization().mode() == AuthorizationMode.NONE,
                () -> connection.admission().hasWaitingRequests() || shared.limits().isBusy()),
            PruningStatsReporter::new);
    reloadableParts.add(
        ReloadablePart.ofSection(next -> next.search().timePruning(), timePruning::updatePolicy));
    NodeWeightService nodeWeights =
        register(
            new NodeWeightService(
                connection.nodes().follower(),
                connection.nodes().transportClients(),
                connection.selection().loadTracker().weights(),
                System::currentTimeMillis),
            service ->
                new NodeWeightPages(
                    service, connection.selection().loadTracker(), proxy::outstanding));
    connection.nodes().follower().addListener(nodeWeights);
    this.forwardedSearches =
        register(new ForwardedSearchCounts(), ForwardedSearchStatsReporter::new);
    this.columnFetches = register(new ColumnFetchCounts(), ColumnFetchStatsReporter::new);
    this.ingestedBulks = register(new IngestCounts(), IngestStatsReporter::new);
    this.partialReductions =
        register(new PartialReductionCounts(), PartialReductionStatsReporter::new);
    this.warmUp =
        register(
            new WarmUpService(
                policy.search().warmUp(),
                new WarmUpService.WarmUpTargets(
                    connection.nodes().transportClients(),
                    connection.selection().loadTracker().weights(),
                    cluster.registries().writeables(),
                    () -> cluster.authorization().mode() == AuthorizationMode.NONE,
                    () -> connection.admission().hasWaitingRequests() || shared.limits().isBusy()),
                new CoordinationTimers(shared.scheduler(), System::nanoTime),
                shared.eventLoops().group().next()),
            WarmUpStatsReporter::new);
    connection.nodes().follower().addListener(warmUp);
    reloadableParts.add(
        ReloadablePart.ofSection(next -> next.search().warmUp(), warmUp::updatePolicy));
    this.exports =
        new ExportService(
            connection.nodes().follower(),
            cluster.registries().writeables(),
            shared.scheduler()::scheduleCancellable,
            features.exportCounts(),
            policy.responses().export(),
            identityHeaders(policy.http()));
    reloadableParts.add(
        ReloadablePart.ofSection(next -> next.responses().export(), exports::setPolicy));
  }

  /** Headers that say nothing about who a client is, besides those that the gateway knows. */
  private static Set<String> neutralHeaders(GatewayPolicy policy) {
    return Stream.concat(
            policy.http().neutralHeaders().stream(),
            Stream.concat(
                    Stream.of(policy.defaultPolicySettings()),
                    policy.namedPolicySettings().values().stream())
                .map(settings -> settings.deadline().timeoutHeader()))
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static List<String> identityHeaders(HttpPolicy http) {
    List<String> names = new ArrayList<>(http.identityHeaders());
    names.add(http.clientCertificates().userHeader());
    names.add(http.clientCertificates().rolesHeader());
    return names;
  }

  private <T> T register(T feature, Function<T, StatsReporter> reporter) {
    reporters.add(reporter.apply(feature));
    return feature;
  }

  /** The reporters of all features, in the order of {@code /stats}. */
  List<StatsReporter> reporters() {
    return List.copyOf(reporters);
  }

  /** The features that follow a changed configuration. */
  List<ReloadablePart> reloadableParts() {
    return List.copyOf(reloadableParts);
  }

  GatewayAuthorization authorization() {
    return authorization;
  }

  SearchCoalescer coalescing() {
    return coalescing;
  }

  TimePruningService timePruning() {
    return timePruning;
  }

  IngestCounts ingestedBulks() {
    return ingestedBulks;
  }

  ColumnFetchCounts columnFetches() {
    return columnFetches;
  }

  PartialReductionCounts partialReductions() {
    return partialReductions;
  }

  ForwardedSearchCounts forwardedSearches() {
    return forwardedSearches;
  }

  WarmUpService warmUp() {
    return warmUp;
  }

  ExportService exports() {
    return exports;
  }

  @Override
  public void close() {
    warmUp.close();
    timePruning.close();
  }
}
