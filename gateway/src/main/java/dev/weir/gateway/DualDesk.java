package dev.weir.gateway;

import dev.weir.config.policy.DualWritesPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.bluegreen.dual.DualCounts;
import dev.weir.bluegreen.dual.DualMeans;
import dev.weir.bluegreen.dual.DualNames;
import dev.weir.bluegreen.dual.DualTarget;
import dev.weir.bluegreen.dual.DualWriting;
import dev.weir.bluegreen.dual.RepairFiles;
import dev.weir.bluegreen.dual.RepairLog;
import dev.weir.bluegreen.dual.Unrepeated;
import dev.weir.cluster.ClusterViews;
import dev.weir.core.coordinate.Delays;
import dev.weir.rest.ActionExecutor;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRename;
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
final class DualDesk implements AutoCloseable {
  private final List<String> names;
  private final RequestPolicy.Section<TrafficPolicy> section;
  private final DualMeans means;
  private final DualCounts counts = new DualCounts();
  private final Instant started;
  private final int random = ThreadLocalRandom.current().nextInt();
  private final Map<Path, RepairLog> logs = new ConcurrentHashMap<>();
  private final Map<String, Reached> clusters = new ConcurrentHashMap<>();

  /**
   * A cluster that writes can be repeated on.
   *
   * @param actions carries them out there
   * @param barred why nothing may be written there now; null when it may
   * @param rename clients' names into its own
   * @param back its own names into clients'
   * @param views of the cluster
   */
  private record Reached(
      ActionExecutor actions,
      Supplier<DualTarget.@Nullable Barred> barred,
      IndexRename rename,
      IndexRename back,
      ClusterViews views) {}

  /**
   * Makes one that knows no cluster yet.
   *
   * @param names of the clusters, in the order of the configuration
   */
  DualDesk(Collection<String> names, PolicySections<TrafficPolicy> sections, Delays delays) {
    this.names = List.copyOf(names);
    this.section = sections.add((name, says, before) -> says);
    this.means = new DualMeans(delays, System::nanoTime, System::currentTimeMillis);
    this.started = means.now();
  }

  /**
   * Has writes of a cluster repeated.
   *
   * @param requests carries them out by their deadlines
   * @param actions carries them out
   */
  ActionExecutor around(String cluster, ActionExecutor requests, ActionExecutor actions) {
    if (isAlone()) {
      return requests;
    }
    return new DualWriting(
        requests, actions, context -> target(cluster, context.policy()), counts, means);
  }

  /** Has requests noted that pass through to nodes of a cluster and may write. */
  RequestRouter around(String cluster, RequestPolicy policy, RequestRouter router) {
    return isAlone()
        ? router
        : new Unrepeated(router, () -> target(cluster, policy), counts, means);
  }

  private boolean isAlone() {
    return names.size() == 1;
  }

  /**
   * A cluster is there that writes can be repeated on.
   *
   * @param barred why nothing may be written there now; null when it may
   * @param views of the cluster
   */
  void add(
      String cluster,
      ActionExecutor actions,
      Supplier<DualTarget.@Nullable Barred> barred,
      Map<String, String> rename,
      ClusterViews views) {
    Map<String, String> back = new LinkedHashMap<>();
    rename.forEach((theirs, own) -> back.putIfAbsent(own, theirs));
    clusters.put(
        cluster,
        new Reached(actions, barred, new IndexRename(rename), new IndexRename(back), views));
  }

  /** What became of repeated writes. */
  DualCounts counts() {
    return counts;
  }

  /**
   * Where the writes of a cluster are repeated by a policy; null for nowhere. Those of the very
   * cluster that the policy names are repeated on the one that traffic would go back to.
   */
  private @Nullable DualTarget target(String from, RequestPolicy policy) {
    TrafficPolicy traffic = policy.of(section);
    DualWritesPolicy dual = traffic.dualWrites();
    if (dual.to().isEmpty()) {
      return null;
    }
    String to = dual.to().equals(from) ? back(traffic, from) : dual.to();
    Reached target = to == null ? null : clusters.get(to);
    Reached source = clusters.get(from);
    if (to == null || target == null || source == null) {
      return null;
    }
    DualTarget.Barred barred = target.barred().get();
    return new DualTarget(
        from,
        to,
        barred == null ? new DualTarget.Open(target.actions()) : barred,
        DualNames.of(names(source, target), source.views()),
        dual.timeout(),
        log(Path.of(dual.repairLog())));
  }

  private @Nullable String back(TrafficPolicy traffic, String from) {
    String back = traffic.rollback().to();
    if (!back.isEmpty() && !back.equals(from)) {
      return back;
    }
    String first = names.getFirst();
    return first.equals(from) ? null : first;
  }

  private static UnaryOperator<String> names(Reached source, Reached target) {
    if (source.rename().isEmpty() && target.rename().isEmpty()) {
      return UnaryOperator.identity();
    }
    return name -> renamed(target.rename(), renamed(source.back(), name));
  }

  private static String renamed(IndexRename rename, String name) {
    return rename.expression(name) instanceof IndexRename.Renamed.As(String text) ? text : name;
  }

  private RepairLog log(Path directory) {
    RepairLog open = logs.get(directory);
    return open == null
        ? logs.computeIfAbsent(
            directory,
            path ->
                new RepairLog(
                    new RepairFiles(path, started, random, RepairFiles.FULL), means.nanoClock()))
        : open;
  }

  @Override
  public void close() {
    List.copyOf(logs.values()).forEach(RepairLog::close);
  }
}
