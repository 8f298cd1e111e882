package dev.weir.gateway.operate;

import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.command.UsageException;
import dev.weir.operate.Operation;
import dev.weir.operate.OperationException;
import dev.weir.operate.OperationKind;
import dev.weir.operate.OperationObserver;
import dev.weir.operate.OperationRequest;
import dev.weir.operate.OperationStep;
import dev.weir.operate.ShellRunner;
import dev.weir.operate.UnknownOutcomePolicy;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options about how far a command goes, and its run. */
final class ProgressOptions {
  private static final int KILLED = 137;

  @Option(names = "--dry-run", description = "Check and show what would be done; change nothing.")
  private boolean dryRun;

  @Option(
      names = "--resume",
      description =
          "Go on with the operation that a command began that has ended since. Give the same --exec"
              + " again.")
  private boolean resume;

  @Option(
      names = "--abort",
      description = "End that operation: give settings and weights back as they were before.")
  private boolean abort;

  @Option(
      names = "--command-ended",
      description = "With --resume: the command that was begun has ended; do not run it again.")
  private boolean commandEnded;

  @Option(names = "--repeat-command", description = "With --resume: run that command again.")
  private boolean repeatCommand;

  @Option(names = "--halt-at", hidden = true, description = "End at once there, for tests.")
  private @Nullable String haltAt;

  /** Makes the request once it is needed. */
  @FunctionalInterface
  interface RequestSource {
    OperationRequest request() throws UsageException;
  }

  /**
   * Runs an operation to its end.
   *
   * @param command for nodes, to go on with; empty for none
   * @return the exit status of the process
   */
  int run(EndpointOptions endpoints, OperationKind kind, String command, RequestSource requested)
      throws UsageException, InterruptedException {
    try (EndpointOptions.Connections connections = endpoints.connect()) {
      if (List.of(dryRun, resume, abort).stream().filter(chosen -> chosen).count() > 1) {
        throw new UsageException("--dry-run, --resume and --abort exclude each other");
      }
      if (commandEnded && repeatCommand) {
        throw new UsageException("--command-ended and --repeat-command exclude each other");
      }
      if ((commandEnded || repeatCommand) && !resume) {
        throw new UsageException(
            "--command-ended and --repeat-command are of use with --resume alone: give it too");
      }
      Operation operation =
          new Operation(
              connections.cluster(),
              connections.gateways(),
              ShellRunner.inherited(),
              new Printer(haltAt));
      if (abort) {
        operation.abort();
      } else if (resume) {
        operation.resume(
            commandEnded
                ? UnknownOutcomePolicy.SKIP
                : repeatCommand ? UnknownOutcomePolicy.REPEAT : UnknownOutcomePolicy.ASK,
            command);
      } else if (dryRun) {
        operation.dryRun(requested.request());
        System.out.println("nothing was changed");
      } else {
        operation.start(requested.request());
        System.out.println(kind.text() + ": done");
      }
      return ExitStatus.OK;
    } catch (OperationException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    }
  }

  private record Printer(@Nullable String haltAt) implements OperationObserver {
    @Override
    public void onProgress(String line) {
      System.out.println(
          LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + " " + line);
    }

    @Override
    public void onStep(OperationStep step, Moment moment, List<String> batch) {
      String here =
          (step.name() + ":" + moment.name()).toLowerCase(Locale.ROOT).replace('_', '-')
              + ":"
              + String.join(",", batch);
      if (here.equals(haltAt)) {
        Runtime.getRuntime().halt(KILLED);
      }
    }
  }
}
