package dev.weir.operate;

import dev.weir.client.RestTarget;
import dev.weir.operate.GatewayAdmin.NodeRow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The steps that have effects. Each returns the journal as it is then, and may be repeated. For one
 * thread.
 */
final class OperationSteps {
  private static final Duration ELECTION = Duration.ofMinutes(1);
  private static final Duration VOTING = Duration.ofMinutes(1);
  private static final Duration RAMP_SLACK = Duration.ofMinutes(1);

  /** The gateways have a new p99 that often. */
  private static final long P99_NANOS = Duration.ofSeconds(5).toNanos();

  private static final int FLUSHED_AT_ONCE = 50;

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
    this.commands = new NodeCommandStep(cluster, store, observer, command);
  }

  private void say(OperationJournal journal, String what) {
    observer.onProgress(StepTexts.progress(journal, what));
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
                + " s; nothing is left changed: see the logs of the nodes that may be manager, then"
                + " go on with --resume, or end the operation with --abort");
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
              + " /_cluster/state/metadata shows more of them, then --resume");
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
      weights.drain(name);
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
        ZoneRecord whole = zones.find(layout, new HashSet<>(begun.batch()));
        if (whole.isNone()) {
          return begun;
        }
        journal = journal.withZone(whole);
        store.write(journal);
      }
      ZoneRecord zone = journal.zone();
      if (zone.previousWeights().isEmpty()) {
        cluster.changeSettings(
            ClusterSettings.change(
                journal.previousSettings(), ClusterSettings.STRICT_ZONES, "false"));
      }
      zones.takeAway(zone, layout);
      say(journal, "nodes send " + zone.attribute() + " " + zone.value() + " no searches");
    } catch (JournalTakenException e) {
      throw e;
    } catch (OperationException e) {
      say(journal, "clients without a gateway may still search there: " + e.getMessage());
    }
    return journal;
  }

  OperationJournal awaitIdle(OperationJournal journal)
      throws OperationException, InterruptedException {
    Set<String> busy = new HashSet<>();
    boolean idle =
        Poller.await(
            journal.options().drainTimeout(),
            () -> {
              Set<String> still = gateways.busyWith(journal.batch());
              if (busy.isEmpty()) {
                busy.addAll(still);
              } else {
                busy.retainAll(still); // idle once is enough: later calls are those no other can do
              }
              return busy.isEmpty();
            });
    say(
        journal,
        idle
            ? "no request in flight"
            : "requests still in flight after "
                + journal.options().drainTimeout().toSeconds()
                + " s at "
                + String.join(", ", busy)
                + "; going on");
    return journal;
  }

  OperationJournal allocatePrimaries(OperationJournal journal)
      throws OperationException, InterruptedException {
    cluster.changeSettings(
        ClusterSettings.change(
            journal.previousSettings(), ClusterSettings.ALLOCATION, "primaries"));
    return journal;
  }

  OperationJournal flush(OperationJournal journal) throws OperationException, InterruptedException {
    List<String> indices =
        new ArrayList<>(ClusterLayout.read(cluster).indicesOn(new HashSet<>(journal.batch())));
    for (int i = 0; i < indices.size(); i += FLUSHED_AT_ONCE) {
      List<String> some = indices.subList(i, Math.min(indices.size(), i + FLUSHED_AT_ONCE));
      try {
        String names = some.stream().map(GatewayAdmin::encode).collect(Collectors.joining(","));
        cluster.send("POST", "/" + names + "/_flush?ignore_unavailable=true");
      } catch (OperationException e) {
        say(journal, "an index was not flushed, so its recovery takes longer: " + e.getMessage());
      }
    }
    say(journal, "allocation of new copies stopped, " + indices.size() + " indices flushed");
    return journal;
  }

  OperationJournal runCommands(OperationJournal journal, boolean isResumed)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    return commands.run(journal, isResumed);
  }

  OperationJournal awaitReturn(OperationJournal journal)
      throws OperationException, InterruptedException {
    boolean returned =
        Poller.await(
            journal.options().returnTimeout(),
            () ->
                hasReturned(journal, ClusterMembers.read(cluster))
                    && gateways.knowAll(journal.batch()));
    if (!returned) {
      store.requireOwn(journal);
      cluster.changeSettings(ClusterSettings.restoredExceptZones(journal.previousSettings()));
      throw new OperationException(
          String.join(", ", journal.batch())
              + " did not leave and join again within "
              + journal.options().returnTimeout().toSeconds()
              + " s. The allocation is as before, the node gets no requests. Start the node, then"
              + " go on with --resume; or end the operation with --abort");
    }
    say(journal, "has joined again");
    return journal;
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

  OperationJournal allocateAll(OperationJournal journal)
      throws OperationException, InterruptedException {
    cluster.changeSettings(
        ClusterSettings.restored(journal.previousSettings(), ClusterSettings.ALLOCATION));
    return journal;
  }

  OperationJournal awaitGreen(OperationJournal journal, double baselineP99Millis)
      throws OperationException, InterruptedException {
    if (baselineP99Millis < 0) { // the process before this one may have raised the limits
      store.requireOwn(journal);
      cluster.changeSettings(
          ClusterSettings.restored(
              journal.previousSettings(),
              ClusterSettings.RECOVERY_RATE,
              ClusterSettings.RECOVERY_COUNT));
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
              if (ClusterApi.isQuiet(cluster.health())) {
                return true;
              }
              if (System.nanoTime() - next[0] >= 0) {
                Map<String, String> change = pacer.next(gateways.p99Millis());
                if (!change.isEmpty()) {
                  store.requireOwn(journal);
                  cluster.changeSettings(change);
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
              + " /_cluster/allocation/explain, then go on with --resume, or end the operation with"
              + " --abort");
    }
    say(journal, "the cluster is green");
    return journal;
  }

  OperationJournal restore(OperationJournal journal)
      throws OperationException, InterruptedException {
    cluster.changeSettings(ClusterSettings.restoredExceptZones(journal.previousSettings()));
    Duration ramp = journal.options().ramp();
    for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
      if (node.getValue().weight() < 1) {
        weights.set(node.getKey(), node.getValue().weight());
      } else if (ramp.isZero()) {
        weights.set(node.getKey(), 1);
      } else {
        weights.restore(node.getKey(), ramp);
      }
    }
    boolean isComplete = Poller.await(ramp.plus(RAMP_SLACK), () -> hasItsShare(journal));
    store.requireOwn(journal);
    if (isComplete) {
      for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
        if (node.getValue().weight() >= 1) {
          weights.set(node.getKey(), 1); // removes the setting
        }
      }
    }
    zones.restore(journal.zone());
    cluster.changeSettings(
        ClusterSettings.restored(journal.previousSettings(), ClusterSettings.STRICT_ZONES));
    return journal;
  }

  private boolean hasItsShare(OperationJournal journal)
      throws OperationException, InterruptedException {
    for (RestTarget gateway : gateways.targets()) {
      try {
        for (NodeRow row : gateways.nodes(gateway)) {
          NodeRecord before = journal.nodes().get(row.name());
          if (before != null && row.weight() < before.weight()) {
            return false;
          }
        }
      } catch (IOException gone) {
        // a gateway that does not answer sends nothing
      }
    }
    return true;
  }
}
