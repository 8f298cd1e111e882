package dev.weir.gateway;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.actions.ActionRegistry;
import dev.weir.core.actions.ActionServices;
import dev.weir.core.actions.ClusterActions;
import dev.weir.core.actions.DocumentActions;
import dev.weir.core.actions.SearchActionServices;
import dev.weir.core.actions.SearchActions;
import dev.weir.core.actions.SearchFeatures;
import dev.weir.core.actions.SingleShardBulkRouter;
import dev.weir.core.actions.authorization.GatewayAuthorization;
import dev.weir.core.actions.ingest.IngestPipelines;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.CopyAttempts;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.NodeCapacity;
import dev.weir.core.coordinate.TrackedSender;
import dev.weir.core.coordinate.batch.PartialReductionSupport;
import dev.weir.core.reduce.columns.ColumnFetch;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.columnar.ColumnarResponseFormats;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.rest.RequestServices;
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
    RestThreadContext context = new RestThreadContext(registries.settings());
    IndexNameResolver names = new IndexNameResolver(context.threadContext());
    ActionServices services =
        new ActionServices(
            coordination(
                connection, features.authorization(), deadlines, shared.resources().scheduler()),
            names,
            connection.selection().recentDecisions());
    NodeCapabilities capabilities = connection.nodes().follower().capabilities();
    ActionRegistry.Builder actions = ActionRegistry.builder();
    DocumentActions.addTo(
        actions,
        services,
        new SingleShardBulkRouter(
            shared.resources().policySections().narrow(settings -> settings.bulk().singleShard()),
            connection.selection().bulkShards(),
            new MintedIdGenerator(System::currentTimeMillis, new SecureRandom().nextLong()),
            connection.admission().writeTransforms().bulkMerger()),
        connection.admission().writeTransforms(),
        new IngestPipelines(
            services.coordination(),
            id ->
                !features.authorization().isActive()
                    && capabilities.has(id, Capability.INGEST_PIPELINES),
            features.ingestedBulks()));
    PartialReductionSupport partialReductions =
        new PartialReductionSupport(capabilities, features.partialReductions());
    connection
        .nodes()
        .follower()
        .addListener((before, after) -> {
          if (!after.isSameCluster(before)) {
            partialReductions.mappings().clear();
          }
        });
    SearchActions.addTo(
        actions,
        new SearchActionServices(
            "weir-" + UUID.randomUUID(),
            registries,
            services,
            ReduceServices.create(
                registries,
                shared.reductions().executor(),
                shared.reductions().metrics()::recordPhase,
                shared.resources().memory().estimator(),
                partialReductions),
            new SearchFeatures(
                shared.features().trimming(),
                features.timePruning().timePruning(),
                shared.features().sampling(),
                deadlines.policies()::isPartialResultsAllowed,
                features.forwardedSearches(),
                shared.features().nodeCeilings(),
                new ColumnFetch(
                    id ->
                        !features.authorization().isActive()
                            && capabilities.has(id, Capability.COLUMN_FETCH),
                    features.columnFetches()),
                features.warmUp().recentSearches())));
    ClusterActions.addTo(actions, services.coordination());
    ActionRegistry built = actions.build();
    RestDispatcher dispatcher =
        new RestDispatcher(
            registries,
            context,
            RequestPipeline.executor(cluster, features.authorization(), built),
            new RestDispatcher.RestExtensions(
                gateways,
                new ColumnarResponseFormats(
                    connection.nodes().follower(), names, registries.writeables()),
                features.exports(),
                cluster.nodeRules(),
                cluster.streamSearch()),
            new RequestServices(
                deadlines.policies(),
                connection.selection().recentDecisions()::nextNumber,
                shared.longRequests()));
    return new CoordinationPipeline(context, built, dispatcher);
  }

  private static CoordinationServices coordination(
      ClusterConnection connection,
      GatewayAuthorization authorization,
      DeadlineService deadlines,
      DelayScheduler scheduler) {
    return new CoordinationServices(
        authorization.guard(
            new TrackedSender(
                connection.nodes().transportClients(),
                connection.selection().loadTracker(),
                connection.admission().gate().lanes(),
                connection.admission().gate(),
                connection.selection().loadReports(),
                connection.nodes().follower().capabilities())),
        connection.nodes().follower(),
        new CoordinationTimers(scheduler, System::nanoTime),
        new CopyAttempts(
            connection.selection().attemptPolicies(), connection.selection().selector()),
        new NodeCapacity(connection.admission().gate(), connection.admission().writeFlow()),
        deadlines.taskBans());
  }

  @Override
  public void close() {
    threadContext.close();
  }
}
