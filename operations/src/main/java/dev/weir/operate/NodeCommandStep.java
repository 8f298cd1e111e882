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
 * @param gateways are asked
 * @param store keeps the journal
 * @param observer gets the progress
 * @param command for each node
 */
record NodeCommandStep(
    ClusterApi cluster,
    GatewayAdmin gateways,
    JournalStore store,
    OperationObserver observer,
    NodeCommand command) {
  /** How long to wait for a node to leave whose command a dead process began, before asking. */
  private static final Duration COMMAND_GRACE = Duration.ofSeconds(20);

  private static final String PRIMARIES = "primaries";

  /** What to do about the command of a node. */
  private enum Decision {
    /** Run it. */
    RUN,
    /** It has ended, as the operator says; the node may still leave because of it. */
    ENDED,
    /** The node has restarted already. */
    RESTARTED
  }

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
    boolean mayLeave = false;
    for (String name : begun.batch()) {
      NodeRecord node = nodeOf(begun, name);
      if (node.command() == CommandState.ENDED) {
        continue;
      }
      Decision decision = decide(begun, name, node, isResumed);
      if (decision == Decision.RUN) {
        names.add(name);
      } else {
        journal = journal.withNode(name, node.with(CommandState.ENDED));
        mayLeave |= decision == Decision.ENDED && begun.kind().restarts();
      }
    }
    if (isResumed && (!names.isEmpty() || mayLeave)) {
      journal = begin(journal, names); // the allocation may be as before
    }
    if (!names.isEmpty()) {
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

  /**
   * Returns the journal with which another command asks about the commands of nodes that have not
   * left, although these commands have ended.
   */
  static OperationJournal reopened(OperationJournal journal, List<String> staying) {
    return with(journal, staying, CommandState.ENDED, CommandState.BEGUN)
        .at(OperationStep.RUN_COMMAND);
  }

  /** What has changed since the check so that the nodes must not leave now. */
  private List<String> problems(OperationJournal journal, List<String> names, ClusterLayout layout)
      throws OperationException, InterruptedException {
    List<String> problems = new ArrayList<>();
    for (String name : names) {
      ClusterLayout.Node target = layout.findNode(name);
      if (target == null) {
        problems.add("node " + name + " has left the cluster: start it");
      } else if (!target.isDescribed()) {
        problems.add(SafetyCheck.describeSilentNodes(Set.of(name)));
      }
    }
    boolean isWhole = names.size() == journal.batch().size();
    problems.addAll(
        Refusal.texts(
            new SafetyCheck(cluster, gateways)
                .lastRefusals(journal.kind(), journal.batch(), isWhole, layout)));
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

  /**
   * Runs all commands to their ends; the first failure counts. An interrupt takes effect once all
   * have ended: until then a node may leave, so nothing may be given back.
   */
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
      awaitAll(runs);
    } finally {
      threads.shutdown();
    }
  }

  private static void awaitAll(List<Future<Void>> runs)
      throws NodeCommand.FailedException, InterruptedException {
    NodeCommand.FailedException failed = null;
    InterruptedException interrupted = null;
    for (Future<Void> run : runs) {
      while (!run.isDone()) {
        try {
          run.get();
        } catch (InterruptedException e) {
          interrupted = e;
        } catch (ExecutionException e) {
          break; // looked at below
        }
      }
      if (run.state() == Future.State.FAILED) {
        Throwable cause = run.exceptionNow();
        NodeCommand.FailedException failure =
            cause instanceof NodeCommand.FailedException known
                ? known
                : new NodeCommand.FailedException("a command failed: " + cause, cause);
        if (failed == null) {
          failed = failure;
        } else {
          failed.addSuppressed(failure);
        }
      }
    }
    if (interrupted != null) {
      if (failed != null) {
        interrupted.addSuppressed(failed);
      }
      throw interrupted;
    }
    if (failed != null) {
      throw failed;
    }
  }

  /** Decides about a command, which a process may have begun that has ended since. */
  private Decision decide(OperationJournal journal, String name, NodeRecord node, boolean isResumed)
      throws OperationException, InterruptedException {
    if (!isResumed || node.command() == CommandState.NONE) {
      return Decision.RUN;
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
        return Decision.RESTARTED;
      }
    }
    if (isByHand) {
      return Decision.RUN;
    }
    return switch (policy) {
      case SKIP -> Decision.ENDED;
      case REPEAT -> Decision.RUN;
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
