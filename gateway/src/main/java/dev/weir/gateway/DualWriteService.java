package dev.weir.gateway;

import dev.weir.bluegreen.dual.DualWriteClocks;
import dev.weir.bluegreen.dual.DualWriteCounts;
import dev.weir.bluegreen.dual.DualWriteExecutor;
import dev.weir.bluegreen.dual.DualWriteTarget;
import dev.weir.bluegreen.dual.PassThroughWriteRecorder;
import dev.weir.bluegreen.dual.RepairLog;
import dev.weir.bluegreen.dual.RollingRepairLogFile;
import dev.weir.bluegreen.dual.TargetIndexNames;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.config.policy.DualWritesPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.rest.ActionExecutor;
import dev.weir.routing.traffic.IndexRenamer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Which clusters' writes are repeated on which, by requests' policies. Safe on any thread. */
final class DualWriteService implements AutoCloseable {
  private final List<String> nameTranslator;
  private final RequestPolicy.Section<TrafficPolicy> section;
  private final DualWriteClocks context;
  private final DualWriteCounts counts = new DualWriteCounts();
  private final Instant started;
  private final int random = ThreadLocalRandom.current().nextInt();
  private final Map<Path, RepairLog> logs = new ConcurrentHashMap<>();
  private final Map<String, WriteTarget> clusters = new ConcurrentHashMap<>();

  /**
   * A cluster that writes can be repeated on.
   *
   * @param actions carries them out there
   * @param writeBlock why nothing may be written there now; null when it may
   * @param rename clients' names into its own
   * @param reverseRename its own names into clients'
   * @param views of the cluster
   */
  private record WriteTarget(
      ActionExecutor actions,
      Supplier<DualWriteTarget.@Nullable Unavailable> writeBlock,
      IndexRenamer rename,
      IndexRenamer reverseRename,
      ClusterViewSource views) {}

  /**
   * Makes one that knows no cluster yet.
   *
   * @param names of the clusters, in the order of the configuration
   */
  DualWriteService(
      Collection<String> names,
      PolicySectionRegistry<TrafficPolicy> sections,
      DelayScheduler delays) {
    this.nameTranslator = List.copyOf(names);
    this.section = sections.register((name, says, before) -> says);
    this.context = new DualWriteClocks(delays, System::nanoTime, System::currentTimeMillis);
    this.started = context.now();
  }

  /**
   * Has writes of a cluster repeated.
   *
   * @param requests carries them out by their deadlines
   * @param actions carries them out
   */
  ActionExecutor wrap(String cluster, ActionExecutor requests, ActionExecutor actions) {
    if (isSingleCluster()) {
      return requests;
    }
    return new DualWriteExecutor(
        requests,
        actions,
        context -> targetOf(cluster, context.resources().policy()),
        counts,
        this.context);
  }

  /** Has requests noted that pass through to nodes of a cluster and may write. */
  RequestRouter wrap(String cluster, RequestPolicy policy, RequestRouter router) {
    return isSingleCluster()
        ? router
        : new PassThroughWriteRecorder(router, () -> targetOf(cluster, policy), counts, context);
  }

  private boolean isSingleCluster() {
    return nameTranslator.size() == 1;
  }

  /**
   * A cluster is there that writes can be repeated on.
   *
   * @param barred why nothing may be written there now; null when it may
   * @param views of the cluster
   */
  void register(
      String cluster,
      ActionExecutor actions,
      Supplier<DualWriteTarget.@Nullable Unavailable> barred,
      Map<String, String> rename,
      ClusterViewSource views) {
    Map<String, String> back = new LinkedHashMap<>();
    rename.forEach((theirs, own) -> back.putIfAbsent(own, theirs));
    clusters.put(
        cluster,
        new WriteTarget(actions, barred, new IndexRenamer(rename), new IndexRenamer(back), views));
  }

  /** What became of repeated writes. */
  DualWriteCounts counts() {
    return counts;
  }

  /**
   * Where the writes of a cluster are repeated by a policy; null for nowhere. Those of the very
   * cluster that the policy names are repeated on the one that traffic would go back to.
   */
  private @Nullable DualWriteTarget targetOf(String from, RequestPolicy policy) {
    TrafficPolicy traffic = policy.get(section);
    DualWritesPolicy dual = traffic.dualWrites();
    if (dual.targetCluster().isEmpty()) {
      return null;
    }
    String to =
        dual.targetCluster().equals(from) ? rollbackCluster(traffic, from) : dual.targetCluster();
    WriteTarget target = to == null ? null : clusters.get(to);
    WriteTarget source = clusters.get(from);
    if (to == null || target == null || source == null) {
      return null;
    }
    DualWriteTarget.Unavailable barred = target.writeBlock().get();
    return new DualWriteTarget(
        from,
        to,
        barred == null ? new DualWriteTarget.Available(target.actions()) : barred,
        TargetIndexNames.of(nameTranslator(source, target), source.views()),
        dual.timeout(),
        repairLog(Path.of(dual.repairLogDirectory())));
  }

  private @Nullable String rollbackCluster(TrafficPolicy traffic, String from) {
    String back = traffic.rollback().targetCluster();
    if (!back.isEmpty() && !back.equals(from)) {
      return back;
    }
    String first = nameTranslator.getFirst();
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

  private RepairLog repairLog(Path directory) {
    RepairLog open = logs.get(directory);
    return open == null
        ? logs.computeIfAbsent(
            directory,
            path ->
                new RepairLog(
                    new RollingRepairLogFile(
                        path, started, random, RollingRepairLogFile.MAX_FILE_BYTES),
                    context.nanoClock()))
        : open;
  }

  @Override
  public void close() {
    List.copyOf(logs.values()).forEach(RepairLog::close);
  }
}
