package dev.weir.operate;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The steps that have effects. Each returns the journal as it is then, and may be repeated. A step
 * writes the journal together with the settings that it changes, and only if a repetition of the
 * steps since the last written one would not do the same. For one thread.
 */
final class OperationSteps {
  private static final Duration ELECTION = Duration.ofMinutes(1);
  private static final Duration VOTING = Duration.ofMinutes(1);
  private static final Duration RAMP_SLACK = Duration.ofMinutes(1);

  /** The gateways have a new p99 that often. */
  private static final long P99_NANOS = Duration.ofSeconds(5).toNanos();

  private final ClusterApi cluster;
  private final GatewayAdmin gateways;
  private final NodeWeightWriter weights;
  private final ZoneWeights zones;
  private final JournalStore store;
  private final OperationObserver observer;
  private final NodeCommandStep commands;

  OperationSteps(
      ClusterApi cluster,
      GatewayAdmin gateways,
      JournalStore store,
      OperationObserver observer,
      NodeCommand command) {
    this.cluster = cluster;
    this.gateways = gateways;
    this.weights = new NodeWeightWriter(cluster, gateways);
    this.zones = new ZoneWeights(cluster);
    this.store = store;
    this.observer = observer;
    this.commands = new NodeCommandStep(cluster, gateways, store, observer, command);
  }

  private void say(OperationJournal journal, String what) {
    observer.onProgress(StepTexts.progress(journal, what));
  }

  /**
   * Makes a change of an own operation that no write of the journal makes. It may be repeated for
   * minutes, and an abort that came meanwhile has not seen it: then it is undone, also if it seems
   * to have failed. What an interrupt ends is left to the abort that interrupts.
   *
   * @throws JournalTakenException if another command has taken the operation over
   */
  private void change(OperationJournal journal, ClusterChange change, ClusterChange undo)
      throws OperationException, InterruptedException {
    store.requireOwn(journal);
    try {
      change.make();
    } catch (OperationException e) { // an attempt without an answer may have made it all the same
      try {
        undoIfGivenBack(journal, undo);
      } catch (JournalTakenException taken) {
        taken.addSuppressed(e);
        throw taken;
      } catch (OperationException unknown) {
        e.addSuppressed(unknown);
      }
      throw e;
    }
    undoIfGivenBack(journal, undo);
  }

  /** Undoes a change if an abort may not have seen it. */
  private void undoIfGivenBack(OperationJournal journal, ClusterChange undo)
      throws OperationException, InterruptedException {
    try {
      store.requireOwn(journal);
    } catch (JournalTakenException taken) {
      try {
        if (store.isGivenBack(journal)) {
          undo.make();
        }
      } catch (OperationException e) {
        say(journal, "not given back: " + e.getMessage());
        taken.addSuppressed(e);
      }
      throw taken;
    }
  }

  /** Writes the journal of a step with the settings that the step changes, in one change. */
  OperationJournal begin(OperationJournal journal) throws OperationException, InterruptedException {
    Map<String, String> previous = journal.previousSettings();
    switch (journal.step()) {
      case CHECK, AWAIT_IDLE, FLUSH, AWAIT_GREEN, ABORT -> {}
      case MOVE_MANAGER -> {
        if (journal.batch().contains(ClusterMembers.read(cluster).manager())) {
          store.write(journal, Map.of());
        }
      }
      case DRAIN, AWAIT_RETURN -> store.write(journal, Map.of());
      case RUN_COMMAND -> {
        return commands.begin(journal, journal.batch());
      }
      case ALLOCATE_ALL ->
          store.write(journal, ClusterSettings.restored(previous, ClusterSettings.ALLOCATION));
      case RESTORE -> store.write(journal, ClusterSettings.restoredExceptZones(previous));
    }
    return journal;
  }

  /** The settings that change at the end of a batch, together with its journal. */
  Map<String, String> closingChange(OperationJournal journal)
      throws OperationException, InterruptedException {
    if (journal.step() != OperationStep.RESTORE) {
      return Map.of();
    }
    Map<String, String> change =
        new LinkedHashMap<>(
            ClusterSettings.restored(journal.previousSettings(), ClusterSettings.STRICT_ZONES));
    if (gateways.belowShare(shares(journal)).isEmpty()) {
      journal
          .nodes()
          .forEach((name, node) -> {
            if (node.weight() >= 1) {
              change.putAll(NodeWeightWriter.full(name)); // the ramp has ended
            }
          });
    }
    return change;
  }

  OperationJournal moveManager(OperationJournal journal, boolean repeats)
      throws OperationException, InterruptedException {
    List<String> batch = journal.batch();
    ClusterMembers members = ClusterMembers.read(cluster);
    String before = members.manager();
    if (batch.contains(before)) {
      long began = System.nanoTime();
      if (!electOther(batch)) {
        throw new OperationException(
            "no other node was elected within "
                + ELECTION.toSeconds()
                + " s: see the logs of the nodes that may be manager");
      }
      say(
          journal,
          "manager moved from "
              + before
              + " to "
              + ClusterMembers.read(cluster).manager()
              + " in "
              + (System.nanoTime() - began) / 1_000_000
              + " ms");
    } else if (repeats && members.hasExclusions()) {
      cluster.clearVotingExclusions();
    }
    if (journal.kind().restarts()
        && !Poller.await(
            VOTING, () -> ClusterMembers.read(cluster).keepsQuorumWithout(new HashSet<>(batch)))) {
      throw new OperationException(
          "without "
              + String.join(", ", batch)
              + " no majority of the voting nodes is left: wait until GET"
              + " /_cluster/state/metadata shows more of them");
    }
    return journal;
  }

  /** Excludes nodes from voting until another one is elected, or the time is over. */
  private boolean electOther(List<String> batch) throws OperationException, InterruptedException {
    try {
      cluster.excludeFromVoting(batch);
      return Poller.await(ELECTION, () -> isElectedOutside(batch));
    } finally {
      boolean interrupted = Thread.interrupted();
      try {
        cluster.clearVotingExclusions();
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private boolean isElectedOutside(List<String> batch)
      throws OperationException, InterruptedException {
    String manager = ClusterMembers.read(cluster).manager();
    return !manager.isEmpty() && !batch.contains(manager);
  }

  OperationJournal drain(OperationJournal begun) throws OperationException, InterruptedException {
    for (String name : begun.batch()) {
      NodeRecord node = Objects.requireNonNull(begun.nodes().get(name), name);
      change(begun, () -> weights.drain(name), () -> weights.set(name, node.weight()));
    }
    say(begun, "drained");
    return begun.options().usesZoneWeights() ? takeSearchesAway(begun) : begun;
  }

  /** Has nodes send the zone of the batch no searches, if the batch is all of it. */
  private OperationJournal takeSearchesAway(OperationJournal begun)
      throws OperationException, InterruptedException {
    OperationJournal journal = begun;
    try {
      ClusterLayout layout = ClusterLayout.read(cluster);
      if (journal.zone().isNone()) {
        journal = writeZone(begun, layout);
      }
      ZoneRecord zone = journal.zone();
      if (!zone.isNone()) {
        change(journal, () -> zones.takeAway(zone, layout), () -> zones.restore(zone));
        say(journal, "nodes send " + zone.attribute() + " " + zone.value() + " no searches");
      }
    } catch (JournalTakenException e) {
      throw e;
    } catch (OperationException e) {
      say(journal, "clients without a gateway may still search there: " + e.getMessage());
    }
    return journal;
  }

  /** Writes the zone that the batch is all of, with its weights as they are, into the journal. */
  private OperationJournal writeZone(OperationJournal begun, ClusterLayout layout)
      throws OperationException, InterruptedException {
    ZoneRecord whole = zones.find(layout, new HashSet<>(begun.batch()));
    if (whole.isNone()) {
      return begun;
    }
    OperationJournal journal = begun.withZone(whole);
    store.write(
        journal,
        whole.previousWeights().isEmpty()
            ? ClusterSettings.change(
                journal.previousSettings(), ClusterSettings.STRICT_ZONES, "false")
            : Map.of());
    return journal;
  }

  OperationJournal awaitIdle(OperationJournal journal)
      throws OperationException, InterruptedException {
    Map<String, String> busy = new TreeMap<>();
    boolean[] isFirst = {true};
    boolean idle =
        Poller.await(
            journal.options().drainTimeout(),
            () -> {
              Map<String, String> still = gateways.busyWith(journal.batch());
              if (isFirst[0]) {
                busy.putAll(still);
                isFirst[0] = false;
              } else { // idle once is enough: later calls are those no other can do
                busy.keySet().retainAll(still.keySet());
                busy.replaceAll((base, reason) -> still.getOrDefault(base, reason));
              }
              return busy.isEmpty();
            });
    say(
        journal,
        idle
            ? "no request in flight"
            : String.join(", ", busy.values())
                + " after "
                + journal.options().drainTimeout().toSeconds()
                + " s; going on");
    return journal;
  }

  OperationJournal flush(OperationJournal journal) throws OperationException, InterruptedException {
    Set<String> indices = ClusterLayout.read(cluster).indicesOn(new HashSet<>(journal.batch()));
    List<String> failures = new IndexFlush(cluster).run(indices);
    failures.forEach(failure ->
        say(journal, "an index was not flushed, so its recovery takes longer: " + failure));
    say(journal, (indices.size() - failures.size()) + " indices flushed");
    return journal;
  }

  /** Decides about the commands that a process has begun that may have ended since. */
  OperationJournal reconsiderCommands(OperationJournal journal)
      throws OperationException, InterruptedException {
    return commands.reconsider(journal);
  }

  OperationJournal runCommands(OperationJournal journal)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    return commands.run(journal);
  }

  OperationJournal awaitReturn(OperationJournal journal)
      throws OperationException, InterruptedException {
    Set<String> unaware = new TreeSet<>();
    boolean returned =
        Poller.await(
            journal.options().returnTimeout(),
            () -> {
              unaware.clear();
              if (!hasReturned(journal, ClusterMembers.read(cluster))) {
                return false;
              }
              unaware.addAll(gateways.unawareOf(journal.batch()));
              return unaware.isEmpty();
            });
    if (!returned) {
      List<String> staying = stayingNodes(journal, ClusterMembers.read(cluster));
      store.write(
          staying.isEmpty() ? journal : NodeCommandStep.reopened(journal, staying),
          ClusterSettings.restoredExceptZones(journal.previousSettings()));
      throw notReturned(journal, staying, unaware);
    }
    say(journal, "has joined again");
    return journal;
  }

  /** The nodes of the batch that have not left since their commands began. */
  private static List<String> stayingNodes(OperationJournal journal, ClusterMembers members) {
    return journal.batch().stream()
        .filter(name -> {
          NodeRecord before = journal.nodes().get(name);
          return before != null && !members.hasRestarted(name, before.ephemeralId());
        })
        .toList();
  }

  private static OperationException notReturned(
      OperationJournal journal, List<String> staying, Set<String> unaware) {
    String what = " did not leave and join again within ";
    String advice = "Start the node";
    if (!unaware.isEmpty()) {
      what = " has joined again, but " + String.join(", ", unaware) + " did not see it within ";
      advice = "See the logs of the gateway";
    } else if (!staying.isEmpty()) {
      advice =
          String.join(", ", staying)
              + " has not left: --resume --command-ended, then restart it"
              + (journal.commandSha256().isEmpty()
                  ? " (POST /operations/resume?command=ended)"
                  : ", or --resume --repeat-command (POST /operations/resume?command=ended or"
                      + " ?command=repeat)");
    }
    return new OperationException(
        String.join(", ", journal.batch())
            + what
            + journal.options().returnTimeout().toSeconds()
            + " s. The allocation is as before, the node gets no requests. "
            + advice);
  }

  private static boolean hasReturned(OperationJournal journal, ClusterMembers members) {
    for (String name : journal.batch()) {
      NodeRecord before = journal.nodes().get(name);
      if (before == null
          || !members.nodes().containsKey(name)
          || !members.hasRestarted(name, before.ephemeralId())) {
        return false;
      }
    }
    return true;
  }

  OperationJournal awaitGreen(OperationJournal journal, double baselineP99Millis)
      throws OperationException, InterruptedException {
    if (baselineP99Millis < 0) { // the process before this one may have raised the limits
      store.requireOwn(journal);
      cluster.changeSettings(recoveryLimits(journal));
    }
    RecoveryPacer pacer =
        new RecoveryPacer(
            journal.previousSettings(),
            cluster.layeredSettings(),
            baselineP99Millis,
            journal.options().maxP99Ratio());
    long[] next = {System.nanoTime()};
    boolean green =
        Poller.await(
            journal.options().greenTimeout(),
            () -> {
              if (ClusterApi.isGreen(cluster.health())) { // the next check awaits moves of shards
                return true;
              }
              if (System.nanoTime() - next[0] >= 0) {
                Map<String, String> change = pacer.next(gateways.p99Millis());
                if (!change.isEmpty()) {
                  change(
                      journal,
                      () -> cluster.changeSettings(change),
                      () -> cluster.changeSettings(recoveryLimits(journal)));
                }
                next[0] = System.nanoTime() + P99_NANOS;
              }
              return false;
            });
    if (!green) {
      store.requireOwn(journal);
      cluster.changeSettings(ClusterSettings.restoredExceptZones(journal.previousSettings()));
      throw new OperationException(
          "the cluster was not green within "
              + journal.options().greenTimeout().toSeconds()
              + " s; its allocation and recovery settings are as before. Find out why by GET"
              + " /_cluster/allocation/explain");
    }
    say(journal, "the cluster is green");
    return journal;
  }

  /** The change that gives the limits of recoveries back. */
  private static Map<String, String> recoveryLimits(OperationJournal journal) {
    return ClusterSettings.restored(
        journal.previousSettings(), ClusterSettings.RECOVERY_RATE, ClusterSettings.RECOVERY_COUNT);
  }

  OperationJournal restore(OperationJournal journal)
      throws OperationException, InterruptedException {
    Duration ramp = journal.options().ramp();
    for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
      String name = node.getKey();
      double weight = node.getValue().weight();
      ClusterChange atOnce = () -> weights.set(name, weight);
      change(
          journal,
          weight < 1 || ramp.isZero() ? atOnce : () -> weights.restore(name, ramp),
          atOnce);
    }
    Map<String, Double> shares = shares(journal);
    if (!Poller.await(ramp.plus(RAMP_SLACK), () -> gateways.belowShare(shares).isEmpty())) {
      say(journal, "its share is not reached: " + String.join(", ", gateways.belowShare(shares)));
    }
    store.requireOwn(journal);
    zones.restore(journal.zone());
    return journal;
  }

  /** The weights that nodes had before, by name. */
  private static Map<String, Double> shares(OperationJournal journal) {
    Map<String, Double> shares = new HashMap<>();
    journal.nodes().forEach((name, node) -> shares.put(name, node.weight()));
    return shares;
  }
}
