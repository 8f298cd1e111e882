package dev.weir.gateway.operate;

import dev.weir.gateway.command.UsageException;
import dev.weir.operate.OperationKind;
import dev.weir.operate.OperationOptions;
import dev.weir.operate.OperationRequest;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has another node elected as cluster manager. */
@Command(
    name = "move-manager",
    description = {
      "Has another node elected as cluster manager, within seconds. Needs three nodes that may be"
          + " manager.",
      "Exit status: 0 when done, 1 when it is not safe or does not succeed, 2 when the command line"
          + " or the configuration is invalid."
    },
    mixinStandardHelpOptions = true)
public final class MoveManagerCommand implements Callable<Integer> {
  @Mixin private EndpointOptions endpoints = new EndpointOptions();
  @Mixin private ProgressOptions progress = new ProgressOptions();

  @Override
  public Integer call() throws UsageException, InterruptedException {
    return progress.run(
        endpoints,
        OperationKind.MOVE_MANAGER,
        "",
        () ->
            OperationRequest.of(OperationKind.MOVE_MANAGER, List.of(), OperationOptions.DEFAULTS));
  }
}
