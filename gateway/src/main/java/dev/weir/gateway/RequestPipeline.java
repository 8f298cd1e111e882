package dev.weir.gateway;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.NodeLossDetector;
import dev.weir.core.actions.authorization.GatewayAuthorization;
import dev.weir.core.actions.deadline.DeadlineFilter;
import dev.weir.gateway.admission.ConcurrencyLimitFilter;
import dev.weir.gateway.admission.HeaderAdmissionFilter;
import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.gateway.coalesce.CoalescingInvalidationFilter;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RouteFilter;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import dev.weir.rest.RestDispatcher;
import dev.weir.rest.release.ReleaseFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Lists, in order, every filter that a request passes on one cluster, from its headers to its
 * action. To add a filter, write its class and add its line here.
 *
 * <pre>
 *   stage     interface        knows                    may
 *   routes    RouteFilter      method, URI              pass through, delay the response
 *   headers   HeaderFilter     headers, tenant          continue, delay, reject
 *   requests  RequestFilter    the whole request        continue, delay, reject, answer, pass through
 *   actions   ExecutionFilter  the parsed action        continue, delay, reject, answer, pass through
 * </pre>
 *
 * A request that passes through leaves the pipeline after the headers. Immutable; called on event
 * loops.
 */
final class RequestPipeline {
  private final ClusterContext cluster;
  private final SearchCoalescer coalescer;
  private final GatewayAuthorization authorization;
  private final Supplier<AuthorizationMode> routingMode;
  private final RestDispatcher dispatcher;
  private final RequestPolicy.Section<BulkPolicy.Streaming> bulkStreaming;

  /**
   * Creates the pipeline of a cluster.
   *
   * @param routingMode who authorizes the requests that are routed now
   */
  RequestPipeline(
      ClusterContext cluster,
      ClusterFeatures features,
      RestDispatcher dispatcher,
      Supplier<AuthorizationMode> routingMode) {
    this.routingMode = routingMode;
    this.cluster = cluster;
    this.coalescer = features.coalescing();
    this.authorization = features.authorization();
    this.dispatcher = dispatcher;
    this.bulkStreaming =
        cluster
            .shared()
            .resources()
            .policySections()
            .register((name, settings, before) -> settings.bulk().streaming());
  }

  /** Routes: which requests the gateway coordinates, and what delays responses of others. */
  RequestRouter router(RequestPolicy policy) {
    List<RouteFilter> filters = new ArrayList<>(clusterRouteFilters(policy));
    GatewayFeatures features = cluster.shared().features();
    filters.add(features.dualWrites().routeFilter(cluster.name(), policy));
    filters.add(features.shadowReads().routeFilter(cluster.name(), policy));
    return RouteFilter.chain(dispatcher.routes(), filters);
  }

  private List<RouteFilter> clusterRouteFilters(RequestPolicy policy) {
    return List.of(
        new BulkStreamingFilter(policy.get(bulkStreaming)),
        new SecuredClusterFilter(routingMode),
        new UnknownRulesFilter(cluster.nodeRules()),
        new StreamingPassThroughFilter(),
        new MetadataRefreshFilter(cluster.connection().nodes().follower()),
        new CoalescingInvalidationFilter(coalescer::isEnabled, coalescer::onRefresh));
  }

  /** Headers: admission, before any byte of a body is read. One filter for all clusters. */
  static HeaderAdmissionFilter headerFilter(AdmissionPolicy policy, SharedServices shared) {
    return new HeaderAdmissionFilter(
        policy,
        shared.resources().limits(),
        shared.features().deadlines().policies(),
        shared.features().deadlines().counts(),
        System::nanoTime);
  }

  /** Requests: those that the gateway coordinates, when their bodies have arrived. */
  RequestHandler handler(RequestPolicy policy) {
    return RequestFilter.chain(
        List.of(
            cluster.shared().features().shadowReads().requestFilter(cluster.name(), policy),
            new ClusterAvailabilityFilter(cluster.connection().nodes()::unavailableSummary),
            new NodeLimitFilter(cluster.nodeRules()),
            new ConcurrencyLimitFilter(cluster.shared().resources().limits()),
            authorization.authenticationFilter(),
            coalescer),
        dispatcher);
  }

  /** Requests of the gateway itself, such as shadow reads: not admitted, not coalesced. */
  RequestHandler internalHandler() {
    return RequestFilter.chain(
        List.of(
            new ClusterAvailabilityFilter(cluster.connection().nodes()::unavailableSummary),
            new NodeLimitFilter(cluster.nodeRules())),
        new RouteDispatcher(
            RouteFilter.chain(dispatcher.routes(), clusterRouteFilters(RequestPolicy.NONE)),
            dispatcher));
  }

  /**
   * Actions: the requests that the REST handlers have parsed.
   *
   * @param actions executes the requests on the cluster
   */
  static ActionExecutor executor(
      ClusterContext cluster, GatewayAuthorization authorization, ActionExecutor actions) {
    SharedServices shared = cluster.shared();
    List<ExecutionFilter> filters = new ArrayList<>();
    filters.add(authorization.authorizationFilter());
    shared
        .features()
        .dualWrites()
        .executionFilter(cluster.name(), actions, cluster.requests())
        .ifPresent(filters::add);
    if (cluster.hasOtherClusters()) {
      filters.add(new ReleaseFilter(cluster.requests()));
    }
    filters.add(
        new DeadlineFilter(
            shared.resources().scheduler(),
            System::nanoTime,
            shared.features().deadlines().counts(),
            cluster.connection().selection().recentDecisions().rejections()));
    if (cluster.hasOtherClusters()) {
      filters.add(new NodeLossDetector());
    }
    return ExecutionFilter.chain(filters, actions);
  }
}
