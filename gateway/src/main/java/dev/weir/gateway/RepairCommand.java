package dev.weir.gateway;

import dev.weir.bluegreen.dual.LostIntents;
import dev.weir.bluegreen.dual.RepairAdvice;
import dev.weir.bluegreen.dual.RepairEntry;
import dev.weir.bluegreen.dual.RepairRunner;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.command.ChosenCluster;
import dev.weir.gateway.command.CommandPolicy;
import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.command.FileProblems;
import dev.weir.gateway.command.UsageException;
import dev.weir.gateway.logging.LoggingConfigurator;
import dev.weir.routing.traffic.IndexRenamer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Repairs a cluster: applies the writes in the repair log that it may lack. */
@Command(
    name = "repair",
    description = {
      "Repairs the clusters of dual writes: reads each document in the repair log from the cluster"
          + " with the last acknowledged write and writes it with its version to the other. You can"
          + " run it while gateways serve, and again.",
      "Exit status: 0 when the whole log is repaired, 1 when entries are left, 2 when the command"
          + " line or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
final class RepairCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The gateway's configuration, with the addresses of the clusters.")
  private @Nullable Path config;

  @Option(
      names = "--log",
      required = true,
      paramLabel = "DIR",
      description = "The repair log: the directory in dual-writes.repair-log-directory.")
  private @Nullable Path logDirectory;

  @Option(
      names = "--intents",
      paramLabel = "DIR",
      description =
          "The intent log: first moves what gateways left under way when they ended to the repair"
              + " log. Default: dual-writes.intent-log.directory of the configuration.")
  private @Nullable Path intentDirectory;

  @Option(names = "--dry-run", description = "Compare, and write nothing.")
  private boolean dryRun;

  @Option(
      names = "--from",
      paramLabel = "A",
      description = "Repair only from cluster A. Default: from every cluster.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "B",
      description =
          "Repair only cluster B; entries for other clusters are left. Default: every cluster, each"
              + " document in the direction of its last write.")
  private @Nullable String to;

  @Option(
      names = "--max-documents-per-second",
      paramLabel = "N",
      description = "Repair at most N documents a second. Default: no limit.")
  private @Nullable Double maxDocumentsPerSecond;

  @Option(
      names = "--from-wins",
      description =
          "Needs --from or --to. Also replace documents that have a higher version in the repaired"
              + " cluster, or a later write, including those that other writers wrote there."
              + " Default: leave and list them.")
  private boolean preferSource;

  @Option(
      names = "--dismiss-requests",
      description =
          "List requests that can't be repeated, such as _delete_by_query, and documents that were"
              + " not found, and then count them as repaired.")
  private boolean dismissRequests;

  @Override
  public Integer call() throws UsageException, InterruptedException {
    Path directory = logDirectory;
    GatewayPolicy policy = CommandPolicy.load(config);
    if (directory == null) {
      throw new UsageException("--log is missing");
    }
    for (String name : new String[] {from, to}) {
      if (name != null) {
        ChosenCluster.requireKnown(policy, name);
      }
    }
    if (preferSource && from == null && to == null) {
      throw new UsageException(
          "got --from-wins without a direction (expected: also --from or --to, the cluster to copy"
              + " from or to repair)");
    }
    double limit = maxDocumentsPerSecond == null ? Double.POSITIVE_INFINITY : maxDocumentsPerSecond;
    if (!(limit > 0)) {
      throw new UsageException(
          "got --max-documents-per-second " + limit + " (expected: more than 0)");
    }
    Path intents = intentDirectory(policy);
    if (!Files.isDirectory(directory) && (intents == null || !Files.isDirectory(intents))) {
      throw new UsageException(
          "--log: got " + directory + " (expected: the directory of a repair log)");
    }
    LoggingConfigurator.apply(policy.observability());
    Map<String, Double> weights = weights(policy);
    try {
      if (intents != null) {
        moveIntents(intents, directory);
      }
      if (!Files.isDirectory(directory)) { // a run that writes has created it
        System.out.println(directory + ": there is no repair log yet");
        return ExitStatus.OK;
      }
      RepairAdvice.of(directory, weights, !policy.traffic().dualWrites().targetCluster().isEmpty())
          .forEach(System.out::println);
    } catch (IOException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    }
    try (RepairClusters clusters = new RepairClusters(policy)) {
      boolean complete =
          new RepairRunner(
                  clusters::documents,
                  new RepairRunner.Options(
                      direction(policy.clusters().keySet(), from, to),
                      dryRun,
                      preferSource,
                      dismissRequests,
                      Duration.ofSeconds(90),
                      limit,
                      name -> isRenamed(policy, name),
                      cluster -> weights.getOrDefault(cluster, 0.0) > 0),
                  System.out::println)
              .run(directory);
      return complete ? ExitStatus.OK : ExitStatus.FAILED;
    } catch (IOException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    } finally {
      LoggingConfigurator.stop();
    }
  }

  /** The directory of the intent log; null for none. */
  private @Nullable Path intentDirectory(GatewayPolicy policy) {
    String configured = policy.traffic().dualWrites().intentLog().directory();
    return intentDirectory != null || configured.isEmpty() ? intentDirectory : Path.of(configured);
  }

  private void moveIntents(Path intents, Path directory) throws UsageException, IOException {
    if (!dryRun) {
      FileProblems.createDirectory("--log", directory);
    }
    int requests = dryRun ? LostIntents.count(intents) : LostIntents.move(intents, directory);
    if (requests > 0) {
      System.out.println(
          intents
              + ": "
              + requests
              + " requests were under way when their gateway ended; their documents "
              + (dryRun ? "would be added to the log" : "are in the log now"));
    }
  }

  /** Whether a cluster calls an index of this name otherwise, or another index by this name. */
  private static boolean isRenamed(GatewayPolicy policy, String name) {
    for (ClusterPolicy cluster : policy.clusters().values()) {
      Map<String, String> back = new HashMap<>();
      cluster.indexRenames().forEach((theirs, own) -> back.put(own, theirs));
      if (changes(cluster.indexRenames(), name) || changes(back, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean changes(Map<String, String> renames, String name) {
    return !renames.isEmpty()
        && new IndexRenamer(renames).renameExpression(name)
            instanceof IndexRenamer.Result.Renamed(String text)
        && !text.equals(name);
  }

  private static Predicate<RepairEntry> direction(
      Set<String> clusters, @Nullable String from, @Nullable String to) {
    return entry ->
        !entry.sourceCluster().equals(entry.targetCluster())
            && clusters.contains(entry.sourceCluster())
            && clusters.contains(entry.targetCluster())
            && (from == null || entry.sourceCluster().equals(from))
            && (to == null || entry.targetCluster().equals(to));
  }

  /** The shares of traffic by cluster; without any, the first cluster gets all. */
  private static Map<String, Double> weights(GatewayPolicy policy) {
    Map<String, Double> weights = policy.traffic().weights();
    return weights.isEmpty() ? Map.of(policy.clusters().keySet().iterator().next(), 1.0) : weights;
  }
}
