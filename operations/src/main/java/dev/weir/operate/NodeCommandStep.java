package dev.weir.operate;

import dev.weir.operate.NodeRecord.CommandState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

  private static final String PRIMARIES = "primaries";

  /**
   * Writes in one change that commands are about to be run, and that the cluster builds no copies
   * meanwhile.
   */
  OperationJournal begin(OperationJournal before, List<String> names)
      throws OperationException, InterruptedException {
    boolean restarts = before.kind().restarts();
    OperationJournal current = restarts ? withCurrentStarts(before, names) : before;
    OperationJournal journal =
        with(current, names, CommandState.NONE, CommandState.BEGUN).at(OperationStep.RUN_COMMAND);
    store.write(
        journal,
        restarts
            ? ClusterSettings.change(
                journal.previousSettings(), ClusterSettings.ALLOCATION, PRIMARIES)
            : Map.of());
    return journal;
  }

  /**
   * Runs what has not ended.
   *
   * @param begun the journal that {@link #begin} wrote
   * @param isResumed whether another process may have begun commands
   * @return the journal with the commands that have ended, which is not written
   */
  OperationJournal run(OperationJournal begun, boolean isResumed)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    OperationJournal journal = begun;
    List<String> names = new ArrayList<>();
    for (String name : begun.batch()) {
      NodeRecord node = nodeOf(begun, name);
      if (node.command() == CommandState.ENDED) {
        continue;
      }
      if (mustRun(begun, name, node, isResumed)) {
        names.add(name);
      } else {
        journal = journal.withNode(name, node.with(CommandState.ENDED));
      }
    }
    if (!names.isEmpty()) {
      journal = isResumed ? begin(journal, names) : journal;
      long end = System.nanoTime() + SafetyCheck.SETTLE.toNanos();
      ClusterLayout layout = ClusterLayout.read(cluster);
      for (List<String> problems = problems(journal, names, layout);
          !problems.isEmpty();
          problems = problems(journal, names, layout)) {
        say(journal, "waiting: " + String.join("; ", problems));
        journal = awaitSafety(journal, names, end);
        layout = ClusterLayout.read(cluster);
      }
      store.requireOwn(journal);
      List<ClusterLayout.Node> targets = new ArrayList<>();
      for (String name : names) {
        targets.add(layout.node(name));
        observer.onStep(OperationStep.RUN_COMMAND, OperationObserver.Moment.COMMAND, List.of(name));
        say(
            journal,
            command.command().isEmpty()
                ? "restart " + name + " now"
                : "running the command for " + name);
      }
      if (!command.command().isEmpty()) {
        runAll(targets);
      }
    }
    return with(journal, journal.batch(), CommandState.BEGUN, CommandState.ENDED);
  }

  /** Remembers the ephemeral ids that nodes have before their commands: they tell a later start. */
  private OperationJournal withCurrentStarts(OperationJournal before, List<String> names)
      throws OperationException, InterruptedException {
    ClusterMembers members = ClusterMembers.read(cluster);
    OperationJournal journal = before;
    for (String name : names) {
      NodeRecord node = nodeOf(journal, name);
      ClusterMembers.Member member = members.nodes().get(name);
      if (node.command() == CommandState.NONE && member != null) {
        journal = journal.withNode(name, node.startedAs(member.ephemeralId()));
      }
    }
    return journal;
  }

  private static NodeRecord nodeOf(OperationJournal journal, String name) {
    return Objects.requireNonNull(journal.nodes().get(name), name);
  }

  /** Gives nodes that are in one state another one. */
  private static OperationJournal with(
      OperationJournal before, List<String> names, CommandState from, CommandState to) {
    OperationJournal journal = before;
    for (String name : names) {
      NodeRecord node = nodeOf(journal, name);
      if (node.command() == from) {
        journal = journal.withNode(name, node.with(to));
      }
    }
    return journal;
  }

  /** What has changed since the check so that the nodes must not leave now. */
  private static List<String> problems(
      OperationJournal journal, List<String> names, ClusterLayout layout) {
    List<String> problems = new ArrayList<>();
    for (String name : names) {
      ClusterLayout.Node target = layout.findNode(name);
      if (target == null) {
        problems.add("node " + name + " has left the cluster: start it");
      } else if (!target.isDescribed()) {
        problems.add(SafetyCheck.describeSilentNodes(Set.of(name)));
      }
    }
    problems.addAll(Refusal.texts(SafetyCheck.ofLosses(journal.kind(), journal.batch(), layout)));
    return problems;
  }

  /**
   * Gives the allocation back until the nodes may leave, and begins again.
   *
   * @throws OperationException if they may not in time; the allocation is as before then
   */
  private OperationJournal awaitSafety(OperationJournal begun, List<String> names, long endNanos)
      throws OperationException, InterruptedException {
    OperationJournal journal =
        with(begun, names, CommandState.BEGUN, CommandState.NONE).at(OperationStep.DRAIN);
    store.write(
        journal, ClusterSettings.restored(journal.previousSettings(), ClusterSettings.ALLOCATION));
    List<String> problems = new ArrayList<>();
    boolean isSafe =
        Poller.await(
            Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())),
            SafetyCheck.PAUSE,
            () -> {
              problems.clear();
              problems.addAll(problems(journal, names, ClusterLayout.read(cluster)));
              return problems.isEmpty();
            });
    if (!isSafe) {
      throw new OperationException(
          "the command for "
              + String.join(", ", names)
              + " was not run, and the allocation is as before:\n  - "
              + String.join("\n  - ", problems));
    }
    return begin(journal, names);
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

  /** Decides about a command, which a process may have begun that has ended since. */
  private boolean mustRun(OperationJournal journal, String name, NodeRecord node, boolean isResumed)
      throws OperationException, InterruptedException {
    if (!isResumed || node.command() == CommandState.NONE) {
      return true;
    }
    UnknownOutcomePolicy policy = command.unknownOutcome();
    boolean isByHand = command.command().isEmpty();
    if (journal.kind().restarts()) {
      boolean restarted =
          Poller.await(
              policy == UnknownOutcomePolicy.ASK && !isByHand ? COMMAND_GRACE : Duration.ZERO,
              () -> ClusterMembers.read(cluster).hasRestarted(name, node.ephemeralId()));
      say(journal, restarted ? name + " has restarted already" : name + " has not restarted yet");
      if (restarted) {
        return false;
      }
    }
    if (isByHand) {
      return true;
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
