package dev.weir.gateway;

import dev.weir.core.actions.Actions;
import dev.weir.core.actions.ClusterActions;
import dev.weir.core.actions.DirectedBulks;
import dev.weir.core.actions.DocumentActions;
import dev.weir.core.actions.NoticedLosses;
import dev.weir.core.actions.SearchActions;
import dev.weir.core.actions.SearchSetup;
import dev.weir.core.actions.TimedActions;
import dev.weir.core.actions.prune.TimePruning;
import dev.weir.cluster.IndexNames;
import dev.weir.responses.columnar.ColumnarForms;
import dev.weir.core.coordinate.Environment;
import dev.weir.core.coordinate.TrackedSender;
import dev.weir.observe.SearchMetrics;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.Exports;
import dev.weir.rest.GatewayAddresses;
import dev.weir.rest.RestFrontDoor;
import dev.weir.rest.RestThreadContext;
import dev.weir.core.reduce.ReduceServices;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.write.MintedIds;
import java.security.SecureRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rooms that a coordinated request walks through: parse, actions, coordinate, and the sender to
 * the nodes.
 *
 * @param context OpenSearch's thread context, closed with the gateway
 * @param actions carries out what requests come to, by no deadline, on this cluster alone
 * @param door where requests come in
 */
record Walk(RestThreadContext context, ActionExecutor actions, RestFrontDoor door)
    implements AutoCloseable {

  /**
   * Makes them.
   *
   * @param cluster its name in the configuration
   * @param gateways whom clients find that ask for the nodes' addresses; null for the nodes
   * @param exports answers searches with all that they match
   * @param pruning leaves shards out by time
   */
  static Walk of(
      String cluster,
      OpenSearchRegistries registries,
      Backend backend,
      Commons commons,
      @Nullable GatewayAddresses gateways,
      Exports exports,
      TimePruning pruning) {
    DeadlineDesk deadlines = commons.deadlines();
    LoopDelays delays = commons.delays();
    SearchMetrics searches = commons.searches();
    RestThreadContext context = new RestThreadContext(registries.settings());
    IndexNames names = new IndexNames(context.threadContext());
    Environment environment =
        new Environment(
            new TrackedSender(backend.clients(), backend.loads(), backend.queues().lanes()),
            backend.follower(),
            delays,
            System::nanoTime,
            backend.tails(),
            backend.binder(),
            deadlines.bans(),
            backend.queues(),
            backend.flow());
    backend.follower().onChange(SearchActions.storedScripts(registries));
    Actions.Builder actions = Actions.builder();
    DocumentActions.addTo(
        actions,
        environment,
        names,
        backend.recent(),
        new DirectedBulks(
            commons.policies().of(says -> says.bulk().directed()),
            backend.directed(),
            new MintedIds(System::currentTimeMillis, new SecureRandom().nextLong()),
            backend.wayIn().merging()),
        backend.wayIn());
    SearchActions.addTo(
        actions,
        new SearchSetup(
            "weir-" + UUID.randomUUID(),
            registries,
            names,
            backend.recent(),
            environment,
            ReduceServices.of(
                registries, searches.timed(commons.reductions()), searches::took, commons.costs()),
            deadlines.rules()::partialResults,
            commons.trimming(),
            pruning,
            commons.sampling()));
    ClusterActions.addTo(actions, environment);
    Actions built = actions.build();
    ActionExecutor timed =
        new TimedActions(
            commons.noticesLosses() ? new NoticedLosses(built) : built,
            delays,
            System::nanoTime,
            deadlines.counts(),
            backend.recent().refusals());
    RestFrontDoor door =
        new RestFrontDoor(
            registries,
            context,
            commons.duals().around(cluster, timed, built),
            new RestFrontDoor.Differing(
                gateways,
                new ColumnarForms(backend.follower(), names, registries.writeables()),
                exports),
            deadlines.rules(),
            backend.recent()::number);
    return new Walk(context, built, door);
  }

  @Override
  public void close() {
    context.close();
  }
}
