package dev.weir.operate;

import dev.weir.operate.NodeRecord.CommandState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /**
   * A moment at which nodes may leave.
   *
   * @param journal as it is written
   * @param layout with the nodes
   */
  private record SafeMoment(OperationJournal journal, ClusterLayout layout) {}

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
    store.write(journal, restarts ? stoppedAllocation(journal) : Map.of());
    return journal;
  }

  private static Map<String, String> stoppedAllocation(OperationJournal journal) {
    return ClusterSettings.change(
        journal.previousSettings(), ClusterSettings.ALLOCATION, PRIMARIES);
  }

  private static Map<String, String> formerAllocation(OperationJournal journal) {
    return ClusterSettings.restored(journal.previousSettings(), ClusterSettings.ALLOCATION);
  }

  /**
   * Decides about commands that a process has begun that may have ended since.
   *
   * @param begun the journal that {@link #begin} or {@link #reopened} made
   * @return the journal to go on from, which is written: from the drain if commands are to be run,
   *     as the nodes may have got their requests back
   */
  OperationJournal reconsider(OperationJournal begun)
      throws OperationException, InterruptedException {
    OperationJournal journal = begun;
    List<String> names = new ArrayList<>();
    for (String name : openNodes(begun)) {
      NodeRecord node = nodeOf(begun, name);
      if (node.command() == CommandState.NONE || isToRun(begun, name, node)) {
        names.add(name);
      } else {
        journal = journal.withNode(name, node.with(CommandState.ENDED));
      }
    }
    if (!names.isEmpty()) {
      boolean isPartAway = begun.kind().restarts() && names.size() < begun.batch().size();
      return isPartAway
          ? suspend(journal, names, stoppedAllocation(journal)) // builds no copies of that part
          : suspend(journal, names, formerAllocation(journal));
    }
    // the allocation may be as before, and nodes away or about to leave
    return journal.equals(begun) ? begun : begin(journal, names);
  }

  /** The nodes of the batch whose commands have not ended. */
  private static List<String> openNodes(OperationJournal journal) {
    return journal.batch().stream()
        .filter(name -> nodeOf(journal, name).command() != CommandState.ENDED)
        .toList();
  }

  /**
   * Runs what has not ended.
   *
   * @param begun the journal that {@link #begin} or {@link #reconsider} wrote
   * @return the journal with the commands that have ended, which is not written
   */
  OperationJournal run(OperationJournal begun)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    List<String> names = openNodes(begun);
    if (names.isEmpty()) {
      return begun;
    }
    SafeMoment safe = awaitSafety(begun, names);
    OperationJournal journal = safe.journal();
    List<ClusterLayout.Node> targets = new ArrayList<>();
    for (String name : names) {
      targets.add(safe.layout().node(name));
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
    return with(journal, names, CommandState.BEGUN, CommandState.ENDED);
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

  /**
   * Checks a last time whether nodes may leave. While they may not, the allocation is as before.
   *
   * @throws OperationException if they may not in time, or if this is not known; the allocation is
   *     as before then
   */
  private SafeMoment awaitSafety(OperationJournal begun, List<String> names)
      throws OperationException, InterruptedException {
    SafetyCheck check = new SafetyCheck(cluster, gateways);
    SafetyWait.Check last = () -> check.findBeforeCommand(begun.kind(), begun.batch(), names);
    OperationJournal journal = begun;
    try {
      SafetyCheck.Findings found = last.find();
      SafetyWait wait = new SafetyWait(observer, Poller.endOf(begun.options().greenTimeout()));
      while (!found.refusals().isEmpty()) {
        wait.show(journal, found.refusals());
        OperationJournal suspended = suspend(journal, names, formerAllocation(journal));
        wait.await(
            suspended,
            "the command for "
                + String.join(", ", names)
                + " was not run, and the allocation is as before",
            last);
        journal = begin(suspended, names);
        found = last.find();
      }
      store.requireOwn(journal);
      return new SafeMoment(journal, found.layout());
    } catch (JournalTakenException taken) {
      throw taken;
    } catch (OperationException e) {
      throw suspendAfter(e, journal, names);
    }
  }

  /** Writes that commands have not begun, so that the operation goes on from the drain. */
  private OperationJournal suspend(
      OperationJournal begun, List<String> names, Map<String, String> allocation)
      throws OperationException, InterruptedException {
    OperationJournal journal =
        with(begun, names, CommandState.BEGUN, CommandState.NONE).at(OperationStep.DRAIN);
    store.write(journal, allocation);
    return journal;
  }

  /** Returns a failure after an attempt to suspend the operation because of it. */
  private OperationException suspendAfter(
      OperationException failure, OperationJournal begun, List<String> names)
      throws OperationException, InterruptedException {
    try {
      suspend(begun, names, formerAllocation(begun));
    } catch (JournalTakenException taken) {
      taken.addSuppressed(failure);
      throw taken;
    } catch (OperationException e) {
      failure.addSuppressed(e);
    }
    return failure;
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

  /** Returns whether a command is to be run that a process has begun, which has ended since. */
  private boolean isToRun(OperationJournal journal, String name, NodeRecord node)
      throws OperationException, InterruptedException {
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
      return policy != UnknownOutcomePolicy.SKIP;
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
