package dev.weir.gateway;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.ActionRegistry;
import dev.weir.core.actions.ClusterActions;
import dev.weir.core.actions.DeadlineActionExecutor;
import dev.weir.core.actions.DocumentActions;
import dev.weir.core.actions.NodeLossDetector;
import dev.weir.core.actions.SearchActionServices;
import dev.weir.core.actions.SearchActions;
import dev.weir.core.actions.SingleShardBulkRouter;
import dev.weir.core.actions.prune.TimePruner;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.TrackedSender;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.observe.SearchMetrics;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.responses.columnar.ColumnarResponseFormats;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExportHandler;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.rest.RestDispatcher;
import dev.weir.rest.RestThreadContext;
import dev.weir.routing.write.MintedIdGenerator;
import java.security.SecureRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rooms that a coordinated request walks through: parse, actions, coordinate, and the sender to
 * the nodes.
 *
 * @param threadContext OpenSearch's thread context, closed with the gateway
 * @param actions carries out what requests come to, by no deadline, on this cluster alone
 * @param dispatcher where requests come in
 */
record CoordinationPipeline(
    RestThreadContext threadContext, ActionExecutor actions, RestDispatcher dispatcher)
    implements AutoCloseable {

  /**
   * Makes them.
   *
   * @param cluster its name in the configuration
   * @param gateways whom clients find that ask for the nodes' addresses; null for the nodes
   * @param exports answers searches with all that they match
   * @param pruning leaves shards out by time
   */
  static CoordinationPipeline create(
      String cluster,
      OpenSearchRegistries registries,
      ClusterConnection backend,
      SharedServices commons,
      @Nullable GatewayAddressProvider gateways,
      ExportHandler exports,
      TimePruner pruning) {
    DeadlineService deadlines = commons.deadlines();
    EventLoopScheduler delays = commons.scheduler();
    SearchMetrics searches = commons.searchMetrics();
    RestThreadContext context = new RestThreadContext(registries.settings());
    IndexNameResolver names = new IndexNameResolver(context.threadContext());
    CoordinationServices environment =
        new CoordinationServices(
            new TrackedSender(
                backend.transportClients(),
                backend.loadTracker(),
                backend.admissionQueues().lanes()),
            backend.follower(),
            delays,
            System::nanoTime,
            backend.tailLatency(),
            backend.selector(),
            deadlines.taskBans(),
            backend.admissionQueues(),
            backend.writeFlow());
    backend.follower().addListener(SearchActions.storedScripts(registries));
    ActionRegistry.Builder actions = ActionRegistry.builder();
    DocumentActions.addTo(
        actions,
        environment,
        names,
        backend.recentChoices(),
        new SingleShardBulkRouter(
            commons.policySections().narrow(says -> says.bulk().singleShard()),
            backend.bulkShards(),
            new MintedIdGenerator(System::currentTimeMillis, new SecureRandom().nextLong()),
            backend.writeTransforms().bulkMerger()),
        backend.writeTransforms());
    SearchActions.addTo(
        actions,
        new SearchActionServices(
            "weir-" + UUID.randomUUID(),
            registries,
            names,
            backend.recentChoices(),
            environment,
            ReduceServices.create(
                registries,
                searches.timeTasks(commons.reductionPool()),
                searches::recordPhase,
                commons.costEstimator()),
            deadlines.policies()::isPartialResultsAllowed,
            commons.trimming(),
            pruning,
            commons.sampling()));
    ClusterActions.addTo(actions, environment);
    ActionRegistry built = actions.build();
    ActionExecutor timed =
        new DeadlineActionExecutor(
            commons.detectsNodeLoss() ? new NodeLossDetector(built) : built,
            delays,
            System::nanoTime,
            deadlines.counts(),
            backend.recentChoices().rejections());
    RestDispatcher door =
        new RestDispatcher(
            registries,
            context,
            commons.dualWrites().wrap(cluster, timed, built),
            new RestDispatcher.RestExtensions(
                gateways,
                new ColumnarResponseFormats(backend.follower(), names, registries.writeables()),
                exports),
            deadlines.policies(),
            backend.recentChoices()::nextNumber);
    return new CoordinationPipeline(context, built, door);
  }

  @Override
  public void close() {
    threadContext.close();
  }
}
