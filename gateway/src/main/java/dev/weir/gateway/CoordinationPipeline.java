package dev.weir.gateway;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.ActionRegistry;
import dev.weir.core.actions.ClusterActions;
import dev.weir.core.actions.DocumentActions;
import dev.weir.core.actions.SearchActionServices;
import dev.weir.core.actions.SearchActions;
import dev.weir.core.actions.SingleShardBulkRouter;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.TrackedSender;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.network.EventLoopScheduler;
import dev.weir.observe.SearchMetrics;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.columnar.ColumnarResponseFormats;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.rest.RestDispatcher;
import dev.weir.rest.RestThreadContext;
import dev.weir.routing.write.MintedIdGenerator;
import java.security.SecureRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The coordination of one cluster's requests: the REST dispatcher, the actions, and the sender to
 * the nodes.
 *
 * @param threadContext OpenSearch's thread context, closed with the gateway
 * @param actions executes actions on this cluster alone, without a deadline
 * @param dispatcher parses requests into actions
 */
record CoordinationPipeline(
    RestThreadContext threadContext, ActionExecutor actions, RestDispatcher dispatcher)
    implements AutoCloseable {

  /**
   * Creates the stages and connects them.
   *
   * @param gateways the addresses that clients get instead of the nodes'; null for the nodes'
   */
  static CoordinationPipeline create(
      ClusterContext cluster, ClusterFeatures features, @Nullable GatewayAddressProvider gateways) {
    SharedServices shared = cluster.shared();
    ClusterConnection connection = cluster.connection();
    OpenSearchRegistries registries = cluster.registries();
    DeadlineService deadlines = shared.features().deadlines();
    EventLoopScheduler delays = shared.resources().scheduler();
    SearchMetrics searches = shared.reductions().metrics();
    RestThreadContext context = new RestThreadContext(registries.settings());
    IndexNameResolver names = new IndexNameResolver(context.threadContext());
    CoordinationServices environment =
        new CoordinationServices(
            new TrackedSender(
                connection.nodes().transportClients(),
                connection.selection().loadTracker(),
                connection.admission().gate().lanes()),
            connection.nodes().follower(),
            delays,
            System::nanoTime,
            connection.selection().attemptPolicies(),
            connection.selection().selector(),
            deadlines.taskBans(),
            connection.admission().gate(),
            connection.admission().writeFlow());
    connection.nodes().follower().addListener(SearchActions.storedScripts(registries));
    ActionRegistry.Builder actions = ActionRegistry.builder();
    DocumentActions.addTo(
        actions,
        environment,
        names,
        connection.selection().recentDecisions(),
        new SingleShardBulkRouter(
            shared.resources().policySections().narrow(says -> says.bulk().singleShard()),
            connection.selection().bulkShards(),
            new MintedIdGenerator(System::currentTimeMillis, new SecureRandom().nextLong()),
            connection.admission().writeTransforms().bulkMerger()),
        connection.admission().writeTransforms());
    SearchActions.addTo(
        actions,
        new SearchActionServices(
            "weir-" + UUID.randomUUID(),
            registries,
            names,
            connection.selection().recentDecisions(),
            environment,
            ReduceServices.create(
                registries,
                shared.reductions().executor(),
                searches::recordPhase,
                shared.resources().memory().estimator()),
            deadlines.policies()::isPartialResultsAllowed,
            shared.features().trimming(),
            features.timePruning().timePruning(),
            shared.features().sampling()));
    ClusterActions.addTo(actions, environment);
    ActionRegistry built = actions.build();
    RestDispatcher dispatcher =
        new RestDispatcher(
            registries,
            context,
            RequestPipeline.executor(cluster, built),
            new RestDispatcher.RestExtensions(
                gateways,
                new ColumnarResponseFormats(
                    connection.nodes().follower(), names, registries.writeables()),
                features.exports()),
            deadlines.policies(),
            connection.selection().recentDecisions()::nextNumber);
    return new CoordinationPipeline(context, built, dispatcher);
  }

  @Override
  public void close() {
    threadContext.close();
  }
}
