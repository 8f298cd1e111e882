package dev.weir.testkit.cli;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** Runs a command the way all of them run: a failure is one message, not a stack trace. */
final class CommandRunner {
  private CommandRunner() {}

  /** Runs a command and ends this JVM with its exit status. */
  static void runAndExit(Callable<Integer> command, String[] args) {
    System.exit(commandLine(command).execute(args));
  }

  static CommandLine commandLine(Callable<Integer> command) {
    return new CommandLine(command)
        .setExecutionExceptionHandler((failure, line, parsed) -> {
          line.getErr().println(line.getCommandName() + ": " + failure.getMessage());
          return line.getCommandSpec().exitCodeOnExecutionException();
        });
  }

  /** Reports the end of a node while this JVM continues. */
  static void watch(DataNodeCluster cluster) {
    // on Ctrl-C nodes end together with this JVM, which needs no report
    Executor aMomentLater = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
    for (DataNode node : cluster.nodes()) {
      node.exitCode()
          .thenAcceptAsync(
              status ->
                  System.err.println(
                      node.name() + " ended with status " + status + "; its log is " + node.log()),
              aMomentLater);
    }
  }

  /** Opens a latch when standard input ends. */
  static void countDownAtEndOfInput(CountDownLatch latch) {
    Thread.ofPlatform()
        .daemon()
        .name("stdin")
        .start(() -> {
          try {
            while (System.in.read() >= 0) {
              // the input is ignored
            }
          } catch (IOException ended) {
            // treated as the end of the input
          }
          latch.countDown();
        });
  }
}
