package dev.weir.gateway.app;

import dev.weir.admission.memory.CostEstimator;
import dev.weir.gateway.actions.Actions;
import dev.weir.gateway.actions.ClusterActions;
import dev.weir.gateway.actions.DirectedBulks;
import dev.weir.gateway.actions.DocumentActions;
import dev.weir.gateway.actions.SearchActions;
import dev.weir.gateway.actions.SearchSetup;
import dev.weir.gateway.actions.TimedActions;
import dev.weir.gateway.actions.prune.TimePruning;
import dev.weir.gateway.actions.sample.Sampling;
import dev.weir.gateway.actions.trim.Trimming;
import dev.weir.gateway.cluster.IndexNames;
import dev.weir.gateway.columnar.ColumnarForms;
import dev.weir.gateway.coordinate.Delays;
import dev.weir.gateway.coordinate.Environment;
import dev.weir.gateway.coordinate.TrackedSender;
import dev.weir.gateway.observe.SearchMetrics;
import dev.weir.gateway.parse.Exports;
import dev.weir.gateway.parse.GatewayAddresses;
import dev.weir.gateway.parse.RestFrontDoor;
import dev.weir.gateway.parse.RestThreadContext;
import dev.weir.gateway.reduce.ReduceServices;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.write.MintedIds;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The rooms that a coordinated request walks through: parse, actions, coordinate, and the sender to
 * the nodes.
 *
 * @param context OpenSearch's thread context, closed with the gateway
 * @param reductions where big reductions run
 * @param door where requests come in
 */
record Walk(RestThreadContext context, ThreadPoolExecutor reductions, RestFrontDoor door)
    implements AutoCloseable {

  private static final int MOST_WAITING_REDUCTIONS = 1000;

  /**
   * Makes them.
   *
   * @param gateways whom clients find that ask for the nodes' addresses; null for the nodes
   * @param searches times the parts of searches
   * @param deadlines says until when answers are waited for
   * @param costs learns what nodes' answers take as objects
   * @param trimming says what is left out of answers
   * @param exports answers searches with all that they match
   * @param pruning leaves shards out by time
   * @param sampling says what is answered by estimates
   */
  static Walk of(
      OpenSearchRegistries registries,
      Backend backend,
      Delays delays,
      @Nullable GatewayAddresses gateways,
      SearchMetrics searches,
      DeadlineDesk deadlines,
      CostEstimator costs,
      Trimming trimming,
      Exports exports,
      TimePruning pruning,
      Sampling sampling) {
    RestThreadContext context = new RestThreadContext(registries.settings());
    ThreadPoolExecutor reductions = reductionPool();
    IndexNames names = new IndexNames(context.threadContext());
    Environment environment =
        new Environment(
            new TrackedSender(backend.clients(), backend.loads(), backend.queues().lanes()),
            backend.follower(),
            delays,
            System::nanoTime,
            backend.tail(),
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
            ReduceServices.of(registries, searches.timed(reductions), searches::took, costs),
            deadlines.rules()::partialResults,
            trimming,
            pruning,
            sampling));
    ClusterActions.addTo(actions, environment);
    RestFrontDoor door =
        new RestFrontDoor(
            registries,
            context,
            new TimedActions(
                actions.build(),
                delays,
                System::nanoTime,
                deadlines.counts(),
                backend.recent().refusals()),
            new RestFrontDoor.Differing(
                gateways,
                new ColumnarForms(backend.follower(), names, registries.writeables()),
                exports),
            deadlines.rules(),
            backend.recent()::number);
    return new Walk(context, reductions, door);
  }

  /** As many threads as processors, and a bounded queue: what does not fit is refused. */
  private static ThreadPoolExecutor reductionPool() {
    int threads = Runtime.getRuntime().availableProcessors();
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(MOST_WAITING_REDUCTIONS),
        Thread.ofPlatform().name("weir-reduce-", 0).daemon().factory());
  }

  @Override
  public void close() {
    reductions.shutdownNow();
    context.close();
  }
}
