package dev.weir.operate;

import dev.weir.operate.OperationObserver.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Carries out operations on a cluster, one at a time for all that share the cluster. Each call
 * blocks; a process that ends in the midst leaves a journal from which {@link #resume} goes on. For
 * one thread.
 */
public final class Operation {
  /** How often a command that ends may write its journal over that of the abort. */
  private static final int ABORTS = 5;

  private final ClusterApi cluster;
  private final GatewayAdmin gateways;
  private final ShellRunner commands;
  private final OperationObserver observer;
  private final JournalStore store;
  private final OperationPermissions permissions;
  private final OperationRollback rollback;

  public Operation(
      ClusterApi cluster, GatewayAdmin gateways, ShellRunner commands, OperationObserver observer) {
    this.cluster = cluster;
    this.gateways = gateways;
    this.commands = commands;
    this.observer = observer;
    this.store = new JournalStore(cluster);
    this.permissions = new OperationPermissions(cluster);
    this.rollback = new OperationRollback(cluster, gateways, store);
  }

  /**
   * Checks and shows what would be done; changes nothing.
   *
   * @throws OperationException if it is not safe
   */
  public void dryRun(OperationRequest request) throws OperationException, InterruptedException {
    store.requireNone();
    ClusterLayout layout = ClusterLayout.read(cluster);
    List<List<String>> batches = request.batches(layout);
    List<String> refusals = new ArrayList<>(permissions.refusals(request, layout));
    for (int i = 0; i < batches.size(); i++) {
      List<String> batch = batches.get(i);
      observer.onProgress(
          (i + 1)
              + " of "
              + batches.size()
              + ": "
              + String.join(", ", batch)
              + managerNote(batch, layout));
    }
    if (!batches.isEmpty()) {
      refusals.addAll(Refusal.texts(refusals(request.kind(), batches, layout)));
    }
    for (OperationStep step : request.kind().steps()) {
      observer.onProgress("  " + StepTexts.describe(step, request.kind(), request.options()));
    }
    refuse(refusals);
  }

  private static String managerNote(List<String> batch, ClusterLayout layout) {
    return batch.contains(layout.members().manager())
        ? " (" + layout.members().manager() + " is the manager)"
        : "";
  }

  /**
   * Carries an operation out.
   *
   * @throws OperationException if it is not safe, or does not succeed
   */
  public void start(OperationRequest request) throws OperationException, InterruptedException {
    store.requireNone();
    ClusterLayout layout = ClusterLayout.read(cluster);
    List<List<String>> batches = request.batches(layout);
    if (batches.isEmpty()) {
      throw new OperationException("there is no data node");
    }
    List<String> refusals = new ArrayList<>(permissions.refusals(request, layout));
    refusals.addAll(Refusal.texts(refusals(request.kind(), batches, layout)));
    refuse(refusals);
    double baselineP99Millis = gateways.p99Millis();
    OperationJournal journal =
        new OperationJournal(
            UUID.randomUUID().toString(),
            UUID.randomUUID().toString(),
            request.kind(),
            Instant.now(),
            batches,
            0,
            OperationStep.CHECK,
            Map.of(),
            ClusterSettings.snapshot(request.kind(), cluster.settings()),
            ZoneRecord.NONE,
            OperationJournal.hash(request.options().command()),
            request.options());
    observer.onStep(OperationStep.CHECK, Moment.BEFORE, journal.batch());
    store.begin(journal);
    NodeCommand command =
        new NodeCommand(commands, request.options().command(), UnknownOutcomePolicy.ASK);
    run(journal, baselineP99Millis, command, false);
  }

  /**
   * Goes on with the operation that has begun, where its journal says.
   *
   * @param unknownOutcome what to do about a command of which it is not known whether it has ended
   * @param command for nodes, the one that the operation began with; the journal does not have it
   */
  public void resume(UnknownOutcomePolicy unknownOutcome, String command)
      throws OperationException, InterruptedException {
    requireResumable(requireJournal(), command);
    OperationJournal journal = store.takeOver();
    requireResumable(journal, command); // it may have gone on meanwhile
    observer.onProgress(
        "going on with "
            + journal.kind().text()
            + " of "
            + journal.startedAt()
            + " at step "
            + journal.step().text()
            + " of "
            + String.join(", ", journal.batch()));
    run(journal, -1, new NodeCommand(commands, command, unknownOutcome), true);
  }

  private static void requireResumable(OperationJournal journal, String command)
      throws OperationException {
    if (journal.step() == OperationStep.ABORT) {
      throw new OperationException(
          "the operation has been aborted in part, so it can't go on: repeat --abort");
    }
    if (!OperationJournal.hash(command).equals(journal.commandSha256())) {
      throw new OperationException(
          "the command differs from the one that the operation began with: give the same --exec");
    }
  }

  /**
   * Ends the operation that has begun: gives settings and weights back as they were before.
   *
   * @throws OperationException if some could not be given back; the call may be repeated
   */
  public void abort() throws OperationException, InterruptedException {
    requireJournal();
    for (int attempt = 1; store.read() != null; attempt++) {
      try {
        rollback.run(store.takeOver());
        break;
      } catch (JournalTakenException e) { // its command wrote before it saw that it has to stop
        if (attempt == ABORTS) {
          throw e;
        }
      }
    }
    observer.onProgress("aborted; settings and weights are as before");
  }

  /** The operation that has begun; null for none. */
  public @Nullable OperationJournal journal() throws OperationException, InterruptedException {
    return store.read();
  }

  private OperationJournal requireJournal() throws OperationException, InterruptedException {
    OperationJournal journal = store.read();
    if (journal == null) {
      throw new OperationException("no operation has begun");
    }
    return journal;
  }

  private List<Refusal> refusals(
      OperationKind kind, List<List<String>> batches, ClusterLayout layout)
      throws OperationException, InterruptedException {
    return new SafetyCheck(cluster, gateways).refusals(kind, batches, layout);
  }

  private static void refuse(List<String> refusals) throws OperationException {
    if (!refusals.isEmpty()) {
      throw new OperationException("it is not safe now:\n  - " + String.join("\n  - ", refusals));
    }
  }

  private void run(
      OperationJournal begun, double baselineP99Millis, NodeCommand command, boolean isResumed)
      throws OperationException, InterruptedException {
    OperationJournal journal = begun;
    OperationSteps steps = new OperationSteps(cluster, gateways, store, observer, command);
    long began = System.nanoTime();
    int doneBefore = journal.done();
    boolean repeats = isResumed;
    try {
      if (!isResumed) {
        store.confirm(journal);
      } else if (journal.step() == OperationStep.RUN_COMMAND) {
        journal = steps.reconsiderCommands(journal);
      }
      while (journal.done() < journal.batches().size()) {
        long batchBegan = System.nanoTime();
        List<String> batch = journal.batch();
        List<OperationStep> all = journal.kind().steps();
        for (int i = all.indexOf(journal.step()); i < all.size(); i++) {
          OperationStep step = all.get(i);
          if (!repeats && step != OperationStep.CHECK) {
            observer.onStep(step, Moment.BEFORE, batch);
            journal = steps.begin(journal.at(step));
          }
          observer.onStep(step, Moment.BEGUN, batch);
          journal = carryOut(steps, journal, baselineP99Millis, repeats);
          observer.onStep(step, Moment.DONE, batch);
          repeats = false;
        }
        journal = close(journal, steps.closingChange(journal));
        report(journal, batch, batchBegan, began, doneBefore);
      }
    } catch (NodeCommand.FailedException e) {
      observer.onProgress(String.valueOf(e.getMessage()));
      rollBack(journal, e);
      throw new OperationException(
          e.getMessage() + "; settings and weights are as before, and the operation has ended", e);
    } catch (JournalTakenException e) {
      throw e;
    } catch (OperationException e) {
      throw stopped(journal, e);
    }
  }

  /**
   * Ends the operation because a command failed.
   *
   * @throws OperationException if it is still open; with the failure of the command, too
   */
  private void rollBack(OperationJournal journal, NodeCommand.FailedException failed)
      throws OperationException, InterruptedException {
    try {
      rollback.run(journal);
    } catch (JournalTakenException e) {
      e.addSuppressed(failed);
      throw e;
    } catch (OperationException e) {
      e.addSuppressed(failed);
      throw stopped(
          journal, new OperationException(failed.getMessage() + "; " + e.getMessage(), e));
    }
  }

  /** Ends the current batch: removes the journal, or writes that of the next batch. */
  private OperationJournal close(OperationJournal journal, Map<String, String> change)
      throws OperationException, InterruptedException {
    OperationJournal next = journal.next();
    if (next.done() < next.batches().size()) {
      store.write(next, change);
    } else {
      store.remove(journal, change);
    }
    return next;
  }

  private OperationException stopped(OperationJournal journal, OperationException cause) {
    OperationStep last = store.lastStep();
    return new OperationException(
        cause.getMessage()
            + "\nThe operation has stopped at step "
            + journal.step().text()
            + " of "
            + String.join(", ", journal.batch())
            + " and is still open: "
            + (last == OperationStep.ABORT
                ? "end it"
                : "go on from step "
                    + last.text()
                    + " with --resume (POST /operations/resume), or end it")
            + " with --abort (POST /operations/abort)",
        cause);
  }

  private OperationJournal carryOut(
      OperationSteps steps, OperationJournal journal, double baselineP99Millis, boolean repeats)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    return switch (journal.step()) {
      case CHECK -> check(journal);
      case MOVE_MANAGER -> steps.moveManager(journal, repeats);
      case DRAIN -> steps.drain(journal);
      case AWAIT_IDLE -> steps.awaitIdle(journal);
      case FLUSH -> steps.flush(journal);
      case RUN_COMMAND -> steps.runCommands(journal);
      case AWAIT_RETURN -> steps.awaitReturn(journal);
      case ALLOCATE_ALL -> journal; // done together with its journal
      case AWAIT_GREEN -> steps.awaitGreen(journal, baselineP99Millis);
      case RESTORE -> steps.restore(journal);
      case ABORT -> throw new IllegalStateException("an operation that is aborted has no steps");
    };
  }

  /** Remembers the nodes of a batch, once it is safe to begin with them. */
  private OperationJournal check(OperationJournal journal)
      throws OperationException, InterruptedException {
    List<String> batch = journal.batch();
    ClusterLayout layout = awaitSafety(journal);
    Map<String, Double> weights = currentWeights();
    Map<String, NodeRecord> nodes = new HashMap<>();
    for (String name : batch) {
      nodes.put(
          name,
          new NodeRecord(
              Objects.requireNonNullElse(weights.get(name), 1.0),
              layout.node(name).ephemeralId(),
              NodeRecord.CommandState.NONE));
    }
    return journal.withNodes(nodes);
  }

  /**
   * Waits until it is safe to begin with a batch: at most the green timeout for refusals that may
   * end by themselves, and two minutes for others.
   */
  private ClusterLayout awaitSafety(OperationJournal journal)
      throws OperationException, InterruptedException {
    Duration timeout = journal.done() == 0 ? SafetyCheck.SETTLE : journal.options().greenTimeout();
    long end = Poller.endOf(timeout);
    Poller.await(SafetyCheck.SETTLE, this::isQuiet); // a check costs more than a look at the health
    return new SafetyWait(observer, end)
        .await(
            journal,
            "it is not safe to go on with " + String.join(", ", journal.batch()) + " now",
            () -> {
              ClusterLayout layout = ClusterLayout.read(cluster);
              return new SafetyCheck.Findings(
                  layout, refusals(journal.kind(), List.of(journal.batch()), layout));
            });
  }

  private boolean isQuiet() throws OperationException, InterruptedException {
    return ClusterApi.isQuiet(cluster.health());
  }

  private Map<String, Double> currentWeights() throws OperationException, InterruptedException {
    Map<String, Double> weights = new HashMap<>();
    for (GatewayAdmin.NodeRow row : gateways.anyNodes()) {
      weights.put(row.name(), row.targetWeight());
    }
    return weights;
  }

  private void report(
      OperationJournal journal, List<String> batch, long batchBegan, long began, int doneBefore) {
    int total = journal.batches().size();
    int left = total - journal.done();
    double seconds = (System.nanoTime() - batchBegan) / 1e9;
    double each = (System.nanoTime() - began) / 1e9 / Math.max(1, journal.done() - doneBefore);
    observer.onProgress(
        String.format(
            Locale.ROOT,
            "%s done in %.0f s (%d of %d)%s",
            String.join(", ", batch),
            seconds,
            journal.done(),
            total,
            left == 0 ? "" : String.format(Locale.ROOT, "; about %.0f s remain", each * left)));
  }
}
