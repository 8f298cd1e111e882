package dev.weir.operate;

import dev.weir.operate.NodeRecord.CommandState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The step that runs the operator's command for the nodes of a batch, for all of them at once. For
 * one thread; commands of a batch run on threads of their own.
 *
 * @param cluster is asked
 * @param store keeps the journal
 * @param observer gets the progress
 * @param command for each node
 */
record NodeCommandStep(
    ClusterApi cluster, JournalStore store, OperationObserver observer, NodeCommand command) {
  /** How long to wait for a node to leave whose command a dead process began, before asking. */
  private static final Duration COMMAND_GRACE = Duration.ofSeconds(20);

  /**
   * Runs what has not ended.
   *
   * @param isResumed whether another process may have begun commands
   */
  OperationJournal run(OperationJournal begun, boolean isResumed)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (String name : begun.batch()) {
      NodeRecord node = Objects.requireNonNull(begun.nodes().get(name), name);
      if (node.command() == CommandState.ENDED) {
        continue;
      }
      if (command.command().isEmpty()) {
        say(begun, "restart " + name + " now");
      } else if (node.command() == CommandState.NONE || mustRepeat(begun, name, node, isResumed)) {
        names.add(name);
      }
    }
    OperationJournal journal = begun;
    if (!names.isEmpty()) {
      List<ClusterLayout.Node> targets = targets(names);
      journal = mark(journal, names, CommandState.BEGUN);
      for (String name : names) {
        observer.onStep(OperationStep.RUN_COMMAND, OperationObserver.Moment.COMMAND, List.of(name));
        say(journal, "running the command for " + name);
      }
      runAll(targets);
    }
    return command.command().isEmpty()
        ? journal
        : mark(journal, journal.batch(), CommandState.ENDED);
  }

  private List<ClusterLayout.Node> targets(List<String> names)
      throws OperationException, InterruptedException {
    ClusterLayout layout = ClusterLayout.read(cluster);
    List<ClusterLayout.Node> targets = new ArrayList<>();
    for (String name : names) {
      ClusterLayout.Node target = layout.findNode(name);
      if (target == null) {
        throw new OperationException(
            "node "
                + name
                + " has left the cluster, so its command was not run: start it, then go on with"
                + " --resume, or end the operation with --abort");
      }
      targets.add(target);
    }
    return targets;
  }

  private OperationJournal mark(OperationJournal before, List<String> names, CommandState state)
      throws OperationException, InterruptedException {
    OperationJournal journal = before;
    for (String name : names) {
      NodeRecord node = Objects.requireNonNull(journal.nodes().get(name), name);
      journal = journal.withNode(name, node.with(state));
    }
    store.write(journal);
    return journal;
  }

  /** Runs all commands to their ends; the first failure counts. */
  private void runAll(List<ClusterLayout.Node> targets)
      throws NodeCommand.FailedException, InterruptedException {
    if (targets.size() == 1) {
      command.run(targets.getFirst());
      return;
    }
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try {
      List<Future<Void>> runs = new ArrayList<>();
      for (ClusterLayout.Node target : targets) {
        runs.add(
            threads.submit(() -> {
              command.run(target);
              return null;
            }));
      }
      NodeCommand.FailedException failed = null;
      for (Future<Void> run : runs) {
        try {
          run.get();
        } catch (ExecutionException e) {
          NodeCommand.FailedException failure =
              e.getCause() instanceof NodeCommand.FailedException known
                  ? known
                  : new NodeCommand.FailedException("a command failed: " + e.getCause(), e);
          if (failed == null) {
            failed = failure;
          } else {
            failed.addSuppressed(failure);
          }
        }
      }
      if (failed != null) {
        throw failed;
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Decides about a command that a process began that has ended since. */
  private boolean mustRepeat(
      OperationJournal journal, String name, NodeRecord node, boolean isResumed)
      throws OperationException, InterruptedException {
    if (!isResumed) {
      return true;
    }
    UnknownOutcomePolicy policy = command.unknownOutcome();
    if (journal.kind().restarts()) {
      boolean restarted =
          Poller.await(
              policy == UnknownOutcomePolicy.ASK ? COMMAND_GRACE : Duration.ZERO,
              () -> ClusterMembers.read(cluster).hasRestarted(name, node.ephemeralId()));
      say(journal, restarted ? name + " has restarted already" : name + " has not restarted yet");
      if (restarted) {
        return false;
      }
    }
    return switch (policy) {
      case SKIP -> false;
      case REPEAT -> true;
      case ASK ->
          throw new OperationException(
              "the command for "
                  + name
                  + " was begun, and it is not known whether it has ended. Look at the node, then"
                  + " go on with --resume --command-ended, or with --resume --repeat-command");
    };
  }

  private void say(OperationJournal journal, String what) {
    observer.onProgress(StepTexts.progress(journal, what));
  }
}
