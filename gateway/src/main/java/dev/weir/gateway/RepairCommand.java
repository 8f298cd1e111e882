package dev.weir.gateway;

import dev.weir.bluegreen.dual.RepairEntry;
import dev.weir.bluegreen.dual.RepairRunner;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.logging.LoggingConfigurator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Brings a cluster up to date with what the repair log says it may not have. */
@Command(
    name = "repair",
    description = {
      "Brings a cluster up to date with what the repair log of dual writes says it may not have:"
          + " each document is read from the cluster that has it and written with its version to"
          + " the other. May be run while gateways serve, and again.",
      "Exit status: 0 when all of the log is repaired, 1 when something is left, 2 when the command"
          + " line or the configuration is wrong."
    },
    mixinStandardHelpOptions = true)
final class RepairCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The gateway's configuration: how the clusters are reached.")
  private @Nullable Path config;

  @Option(
      names = "--log",
      required = true,
      paramLabel = "DIR",
      description = "The repair log: the directory that dual-writes.repair-log-directory names.")
  private @Nullable Path logDirectory;

  @Option(names = "--dry-run", description = "Compares, and writes nothing.")
  private boolean dryRun;

  @Option(
      names = "--from",
      paramLabel = "A",
      description = "Only what cluster A has. Default: any but the one that --to says.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "B",
      description =
          "Only what cluster B may not have. Default: the one that dual-writes.to names now;"
              + " entries of another one are left.")
  private @Nullable String to;

  @Option(
      names = "--from-wins",
      description =
          "Documents that have a higher version in the cluster that is repaired are replaced too,"
              + " also those written there by somebody else. Default: they are left, and told.")
  private boolean preferSource;

  @Option(
      names = "--dismiss-requests",
      description =
          "Counts requests that can't be repeated, such as _delete_by_query, and documents that"
              + " were not found as repaired once they were shown.")
  private boolean dismissRequests;

  @Override
  public Integer call() throws InterruptedException {
    Path directory = logDirectory;
    GatewayPolicy policy = policy();
    if (policy == null || directory == null) {
      return ExitStatus.USAGE_ERROR;
    }
    String target = to == null ? policy.traffic().dualWrites().targetCluster() : to;
    for (String name : new String[] {from, target}) {
      if (name != null && !name.isEmpty() && !policy.clusters().containsKey(name)) {
        return usageError(
            "got cluster " + name + " (expected: one of " + policy.clusters().keySet() + ")");
      }
    }
    if (target.isEmpty()) {
      return usageError("the configuration has no dual-writes.to: say --to, the cluster to repair");
    }
    if (!Files.isDirectory(directory)) {
      return usageError("got " + directory + " (expected: the directory of a repair log)");
    }
    LoggingConfigurator.apply(policy.observability());
    try (RepairClusters clusters = new RepairClusters(policy)) {
      boolean whole =
          new RepairRunner(
                  clusters::documents,
                  new RepairRunner.Options(
                      direction(from, target),
                      dryRun,
                      preferSource,
                      dismissRequests,
                      Duration.ofSeconds(90)),
                  System.out::println)
              .run(directory);
      return whole ? ExitStatus.OK : ExitStatus.FAILED;
    } catch (IOException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    } finally {
      LoggingConfigurator.stop();
    }
  }

  private static Predicate<RepairEntry> direction(@Nullable String from, String to) {
    return entry ->
        entry.targetCluster().equals(to)
            && !entry.sourceCluster().equals(to)
            && (from == null || entry.sourceCluster().equals(from));
  }

  private static int usageError(String message) {
    System.err.println(message);
    return ExitStatus.USAGE_ERROR;
  }

  private @Nullable GatewayPolicy policy() {
    if (config == null) {
      return null;
    }
    return switch (new PolicyLoader(System.getenv()).load(config)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> {
        System.err.print(refused.render());
        yield null;
      }
    };
  }
}
