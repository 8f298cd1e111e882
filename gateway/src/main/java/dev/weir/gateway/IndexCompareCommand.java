package dev.weir.gateway;

import dev.weir.bluegreen.compare.IndexComparison;
import dev.weir.bluegreen.compare.IndexComparison.ComparisonException;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares an index of two clusters document by document. */
@Command(
    name = "compare",
    description = {
      "Compares an index of two clusters document by document: ids, routing, versions and sources"
          + " as JSON values. It sees what a search sees, and reads documents that differ again by"
          + " id before it counts them. You can run it while gateways serve.",
      "Exit status: 0 when the indices have the same documents, 1 when they differ or can't be"
          + " read, 2 when the command line or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
final class IndexCompareCommand implements Callable<Integer> {
  private static final Duration LOOK_PAUSE = Duration.ofSeconds(1);

  @Parameters(index = "0", paramLabel = "BLUE", description = "A cluster of the configuration.")
  private @Nullable String blue;

  @Parameters(
      index = "1",
      paramLabel = "GREEN",
      description = "The cluster that --fix-log would change.")
  private @Nullable String green;

  @Parameters(
      index = "2",
      paramLabel = "INDEX",
      description =
          "An index, or an alias or data stream of one index, as clients name it: each cluster's"
              + " index-renames apply.")
  private @Nullable String index;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The gateway's configuration, with the addresses of the clusters.")
  private @Nullable Path config;

  @Option(
      names = "--fix-log",
      paramLabel = "DIR",
      description =
          "Write the differences to a repair log in DIR, from which weir repair gives GREEN what"
              + " BLUE has. Use another directory than dual-writes.repair-log-directory.")
  private @Nullable Path fixLog;

  @Option(
      names = "--scratch",
      paramLabel = "DIR",
      description =
          "Where to put temporary files: about 100 bytes for each document of both clusters."
              + " Default: the system's directory of temporary files.")
  private @Nullable Path scratch;

  @Option(
      names = "--page-size",
      paramLabel = "N",
      defaultValue = "500",
      description =
          "How many documents to read at a time from each cluster, 1 to 10000. Default: 500. Use"
              + " fewer for large documents.")
  private int pageSize;

  @Override
  public Integer call() throws UsageException, InterruptedException {
    GatewayPolicy policy = CommandPolicy.load(config);
    if (blue == null || green == null || index == null) {
      throw new UsageException("got no index to compare (expected: BLUE GREEN INDEX)");
    }
    check(policy, blue, green, index);
    Path temporary = scratch == null ? Path.of(System.getProperty("java.io.tmpdir")) : scratch;
    FileProblems.createDirectory("--scratch", temporary);
    LoggingConfigurator.apply(policy.observability());
    try (RepairClusters clusters = new RepairClusters(policy)) {
      boolean equal =
          new IndexComparison(
                  side(policy, clusters, blue),
                  side(policy, clusters, green),
                  new IndexComparison.Options(temporary, fixLog, pageSize, LOOK_PAUSE),
                  System.out::println)
              .run();
      return equal ? ExitStatus.OK : ExitStatus.FAILED;
    } catch (IOException | ComparisonException | IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    } finally {
      LoggingConfigurator.stop();
    }
  }

  private void check(GatewayPolicy policy, String one, String other, String name)
      throws UsageException {
    ChosenCluster.requireKnown(policy, one);
    ChosenCluster.requireKnown(policy, other);
    if (one.equals(other)) {
      throw new UsageException("got cluster " + one + " twice (expected: two clusters)");
    }
    if (name.isEmpty() || name.matches(".*[*?,<>/\\s].*") || name.equals("_all")) {
      throw new UsageException(
          "got index " + name + " (expected: one index, alias or data stream)");
    }
    for (String cluster : new String[] {one, other}) {
      if (renamed(policy, cluster) instanceof IndexRenamer.Result.Impossible impossible) {
        throw new UsageException(impossible.reason());
      }
    }
    if (pageSize < 1 || pageSize > 10_000) {
      throw new UsageException("got --page-size " + pageSize + " (expected: 1 to 10000)");
    }
  }

  private IndexComparison.Side side(GatewayPolicy policy, RepairClusters clusters, String name) {
    return switch (renamed(policy, name)) {
      case IndexRenamer.Result.Renamed renamed ->
          new IndexComparison.Side(name, clusters.documents(name), renamed.text());
      case IndexRenamer.Result.Impossible impossible ->
          throw new IllegalArgumentException(impossible.reason());
    };
  }

  private IndexRenamer.Result renamed(GatewayPolicy policy, String name) {
    ClusterPolicy cluster = Objects.requireNonNull(policy.clusters().get(name), name);
    IndexRenamer renamer =
        cluster.indexRenames().isEmpty()
            ? IndexRenamer.NONE
            : new IndexRenamer(cluster.indexRenames());
    return renamer.renameExpression(String.valueOf(index));
  }
}
