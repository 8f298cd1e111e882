package dev.weir.gateway.operate;

import dev.weir.gateway.command.UsageException;
import dev.weir.operate.OperationKind;
import dev.weir.operate.OperationOptions;
import dev.weir.operate.OperationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Restarts all data nodes. */
@Command(
    name = "rolling-restart",
    description = {
      "Restarts data nodes one after the other while clients go on, each as restart-node does; the"
          + " elected cluster manager last.",
      "Exit status: 0 when done, 1 when it is not safe or does not succeed, 2 when the command line"
          + " or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
public final class RollingRestartCommand implements Callable<Integer> {
  @Option(
      names = "--nodes",
      paramLabel = "NODE",
      split = ",",
      description = "Only these, such as a,b. Default: all data nodes.")
  private List<String> nodes = new ArrayList<>();

  @Option(
      names = "--by-zone",
      paramLabel = "ATTRIBUTE",
      defaultValue = "",
      description =
          "Restart the nodes with the same value of this node attribute together, as far as every"
              + " shard keeps a started copy elsewhere.")
  private String zone = "";

  @Option(
      names = "--max-unavailable",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "With --by-zone: how many nodes may be away at once. Default: a third of the data nodes.")
  private int maxUnavailable;

  @Mixin private EndpointOptions endpoints = new EndpointOptions();
  @Mixin private PaceOptions pace = new PaceOptions();
  @Mixin private ProgressOptions progress = new ProgressOptions();

  @Override
  public Integer call() throws UsageException, InterruptedException {
    return progress.run(endpoints, OperationKind.ROLLING_RESTART, pace.command(), this::request);
  }

  private OperationRequest request() throws UsageException {
    OperationOptions options = pace.toOptions();
    try {
      return new OperationRequest(
          OperationKind.ROLLING_RESTART, nodes, zone, maxUnavailable, options);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e);
    }
  }
}
