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

/** Restarts one data node. */
@Command(
    name = "restart-node",
    description = {
      "Restarts a data node while clients go on: drains it, stops the allocation of copies, runs"
          + " your command, waits until the node is back and all copies are started, and gives it"
          + " its requests back. Without --exec it waits for you to restart the node.",
      "Exit status: 0 when done, 1 when it is not safe or does not succeed, 2 when the command line"
          + " or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
public final class RestartNodeCommand implements Callable<Integer> {
  @Parameters(index = "0", arity = "0..1", paramLabel = "NODE", description = "Its node.name.")
  private @Nullable String node;

  @Mixin private EndpointOptions endpoints = new EndpointOptions();
  @Mixin private PaceOptions pace = new PaceOptions();
  @Mixin private ProgressOptions progress = new ProgressOptions();

  @Override
  public Integer call() throws UsageException, InterruptedException {
    return progress.run(
        endpoints,
        OperationKind.RESTART_NODE,
        pace.command(),
        () -> {
          if (node == null) {
            throw new UsageException("the name of the node is missing");
          }
          return OperationRequest.of(OperationKind.RESTART_NODE, List.of(node), pace.toOptions());
        });
  }
}
