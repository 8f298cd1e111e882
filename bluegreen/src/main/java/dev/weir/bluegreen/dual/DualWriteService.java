package dev.weir.bluegreen.dual;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.config.policy.DualWritesPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RouteFilter;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import dev.weir.routing.traffic.IndexRenamer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Repeats writes of one cluster on another one, as policies say. Clusters are registered while the
 * gateway starts. Safe on any thread.
 */
public final class DualWriteService implements AutoCloseable {
  private final List<String> clusterNames;
  private final RequestPolicy.Section<PolicyDualWrites> section;
  private final DualWriteClocks clocks;
  private final DualWriteCounts counts = new DualWriteCounts();
  private final Instant started;
  private final int random = ThreadLocalRandom.current().nextInt();
  private final IntentLogs intents;
  private final Map<Path, RepairLog> logs = new ConcurrentHashMap<>();
  private final Map<String, WriteTarget> clusters = new ConcurrentHashMap<>();

  /**
   * A cluster that writes can be repeated on.
   *
   * @param actions executes the writes
   * @param writeBlock why the cluster accepts no dual writes now; null if it does
   * @param rename maps clients' names to its own
   * @param reverseRename maps its own names to clients'
   * @param views of the cluster
   * @param requests those under way on the cluster
   */
  private record WriteTarget(
      ActionExecutor actions,
      Supplier<DualWriteTarget.@Nullable Unavailable> writeBlock,
      IndexRenamer rename,
      IndexRenamer reverseRename,
      ClusterViewSource views,
      ReleasableRequests requests) {}

  /**
   * Creates the service without clusters.
   *
   * @param names of the clusters, in the order of the configuration
   */
  public DualWriteService(
      Collection<String> names,
      PolicySectionRegistry<TrafficPolicy> sections,
      DelayScheduler delays) {
    this.clusterNames = List.copyOf(names);
    this.clocks = new DualWriteClocks(delays, System::nanoTime, System::currentTimeMillis);
    this.started = clocks.now();
    this.intents = new IntentLogs(counts, clocks);
    this.section = sections.register((name, traffic, before) -> new PolicyDualWrites(traffic));
  }

  /** The dual writes of one policy. A policy that is never in force opens no logs. */
  private final class PolicyDualWrites {
    private final TrafficPolicy traffic;
    private volatile @Nullable DualWriteLogs logs;

    PolicyDualWrites(TrafficPolicy traffic) {
      this.traffic = traffic;
    }

    DualWritesPolicy policy() {
      return traffic.dualWrites();
    }

    DualWriteLogs logs() {
      DualWriteLogs open = logs;
      if (open == null) { // another thread finds the same ones
        RepairLog repairLog = repairLog(Path.of(policy().repairLogDirectory()));
        open = new DualWriteLogs(repairLog, intents.recorder(policy().intentLog(), repairLog));
        logs = open;
      }
      return open;
    }
  }

  /**
   * Returns the filter that repeats a cluster's write actions; empty if there is no other cluster.
   *
   * @param actions reads the documents that a write left on the cluster
   * @param requests the requests under way on the cluster
   */
  public Optional<ExecutionFilter> executionFilter(
      String cluster, ActionExecutor actions, ReleasableRequests requests) {
    return isSingleCluster()
        ? Optional.empty()
        : Optional.of(
            new DualWriteFilter(
                actions,
                context -> targetOf(cluster, context.resources().policy()),
                counts,
                clocks,
                requests));
  }

  /** Returns the filter that records writes which pass through to a cluster's nodes. */
  public RouteFilter routeFilter(String cluster, RequestPolicy policy) {
    return isSingleCluster()
        ? RouteFilter.NONE
        : new PassThroughWriteFilter(() -> targetOf(cluster, policy), counts, clocks);
  }

  private boolean isSingleCluster() {
    return clusterNames.size() == 1;
  }

  /**
   * Adds a cluster that writes can be repeated on.
   *
   * @param actions executes the writes, without a deadline
   * @param unavailable why the cluster accepts no dual writes now; null if it does
   * @param rename maps clients' names to its own
   * @param views of the cluster
   * @param requests those under way on the cluster
   */
  public void register(
      String cluster,
      ActionExecutor actions,
      Supplier<DualWriteTarget.@Nullable Unavailable> unavailable,
      Map<String, String> rename,
      ClusterViewSource views,
      ReleasableRequests requests) {
    Map<String, String> back = new LinkedHashMap<>();
    rename.forEach((theirs, own) -> back.putIfAbsent(own, theirs));
    clusters.put(
        cluster,
        new WriteTarget(
            actions,
            unavailable,
            new IndexRenamer(rename),
            new IndexRenamer(back),
            views,
            requests));
  }

  /** Returns the outcomes of repeated writes. */
  public DualWriteCounts counts() {
    return counts;
  }

  /**
   * Returns the target of a cluster's writes under a policy; null for none. The target's own writes
   * are repeated on the cluster that a rollback would send traffic to.
   */
  private @Nullable DualWriteTarget targetOf(String from, RequestPolicy policy) {
    PolicyDualWrites compiled = policy.get(section);
    DualWritesPolicy dual = compiled.policy();
    if (dual.targetCluster().isEmpty()) {
      return null;
    }
    String to =
        dual.targetCluster().equals(from)
            ? rollbackCluster(compiled.traffic, from)
            : dual.targetCluster();
    WriteTarget target = to == null ? null : clusters.get(to);
    WriteTarget source = clusters.get(from);
    if (to == null || target == null || source == null) {
      return null;
    }
    DualWriteTarget.Unavailable unavailable = target.writeBlock().get();
    return new DualWriteTarget(
        from,
        to,
        unavailable == null
            ? new DualWriteTarget.Available(target.actions(), target.requests())
            : unavailable,
        TargetIndexNames.of(nameTranslator(source, target), source.views()),
        dual.timeout(),
        compiled.logs());
  }

  /**
   * Follows the policies that requests are given from now on: opens their intent logs, and so moves
   * to the repair log what ended gateways left there.
   */
  public void setPolicies(RequestPolicies policies) {
    for (RequestPolicy policy : policies.all()) {
      PolicyDualWrites compiled = policy.get(section);
      if (!compiled.policy().targetCluster().isEmpty() && !isSingleCluster()) {
        compiled.logs();
      }
    }
  }

  /** The number of requests in the intent logs now. */
  public long openIntents() {
    return intents.openCount();
  }

  private @Nullable String rollbackCluster(TrafficPolicy traffic, String from) {
    String back = traffic.rollback().targetCluster();
    if (!back.isEmpty() && !back.equals(from)) {
      return back;
    }
    String first = clusterNames.getFirst();
    return first.equals(from) ? null : first;
  }

  private static UnaryOperator<String> nameTranslator(WriteTarget source, WriteTarget target) {
    if (source.rename().isEmpty() && target.rename().isEmpty()) {
      return UnaryOperator.identity();
    }
    return name -> renamed(target.rename(), renamed(source.reverseRename(), name));
  }

  private static String renamed(IndexRenamer rename, String name) {
    return rename.renameExpression(name) instanceof IndexRenamer.Result.Renamed(String text)
        ? text
        : name;
  }

  private RepairLog repairLog(Path configured) {
    Path directory = configured.toAbsolutePath().normalize();
    RepairLog open = logs.get(directory);
    return open == null
        ? logs.computeIfAbsent(
            directory,
            path ->
                new RepairLog(
                    new RollingRepairLogFile(
                        path, started, random, RollingRepairLogFile.MAX_FILE_BYTES),
                    clocks.nanoClock()))
        : open;
  }

  @Override
  public void close() {
    intents.close();
    List.copyOf(logs.values()).forEach(RepairLog::close);
  }
}
