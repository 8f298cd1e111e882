package dev.weir.gateway.operate;

import dev.weir.gateway.command.UsageException;
import dev.weir.operate.OperationKind;
import dev.weir.operate.OperationRequest;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs a command on a node that gets no requests meanwhile. */
@Command(
    name = "window",
    description = {
      "Drains a data node, runs your command, such as fstrim or a force merge, and gives the node"
          + " its requests back. The node stays in the cluster.",
      "Exit status: 0 when done, 1 when it is not safe or does not succeed, 2 when the command line"
          + " or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
public final class WindowCommand implements Callable<Integer> {
  @Parameters(index = "0", arity = "0..1", paramLabel = "NODE", description = "Its node.name.")
  private @Nullable String node;

  @Mixin private EndpointOptions endpoints = new EndpointOptions();
  @Mixin private PaceOptions pace = new PaceOptions();
  @Mixin private ProgressOptions progress = new ProgressOptions();

  @Override
  public Integer call() throws UsageException, InterruptedException {
    return progress.run(
        endpoints,
        OperationKind.WINDOW,
        pace.command(),
        () -> {
          if (node == null) {
            throw new UsageException("the name of the node is missing");
          }
          if (!pace.hasCommand()) {
            throw new UsageException("--exec is missing: the command to run while the node rests");
          }
          return OperationRequest.of(OperationKind.WINDOW, List.of(node), pace.toOptions());
        });
  }
}
