package dev.weir.operate;

import dev.weir.operate.GatewayAdmin.NodeRow;
import dev.weir.operate.NodeRecord.CommandState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** How long to wait for a node to leave whose command a dead process began, before asking. */
  private static final Duration COMMAND_GRACE = Duration.ofSeconds(20);

  private static final long POLL_MILLIS = 200;

  /** The gateways have a new p99 that often. */
  private static final long P99_NANOS = Duration.ofSeconds(5).toNanos();

  private static final int FLUSHED_AT_ONCE = 50;

  private final ClusterApi cluster;
  private final GatewayAdmin gateways;
  private final JournalStore store;
  private final OperationObserver observer;
  private final NodeCommand command;

  OperationSteps(
      ClusterApi cluster,
      GatewayAdmin gateways,
      JournalStore store,
      OperationObserver observer,
      NodeCommand command) {
    this.cluster = cluster;
    this.gateways = gateways;
    this.store = store;
    this.observer = observer;
    this.command = command;
  }

  /** A condition that may become true. */
  private interface Condition {
    boolean holds() throws OperationException, InterruptedException;
  }

  private static boolean await(Duration within, Condition condition)
      throws OperationException, InterruptedException {
    long end = System.nanoTime() + within.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }

  private void say(OperationJournal journal, String what) {
    observer.onProgress(
        String.join(", ", journal.batch())
            + " ("
            + (journal.done() + 1)
            + " of "
            + journal.batches().size()
            + "): "
            + what);
  }

  OperationJournal moveManager(OperationJournal journal, boolean repeats)
      throws OperationException, InterruptedException {
    List<String> batch = journal.batch();
    ClusterLayout layout = ClusterLayout.read(cluster);
    String before = layout.manager();
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
              + ClusterLayout.read(cluster).manager()
              + " in "
              + (System.nanoTime() - began) / 1_000_000
              + " ms");
    } else if (repeats && layout.hasExclusions()) {
      cluster.send("DELETE", "/_cluster/voting_config_exclusions?wait_for_removal=false");
    }
    if (journal.kind().restarts()
        && !await(
            VOTING, () -> ClusterLayout.read(cluster).keepsQuorumWithout(new HashSet<>(batch)))) {
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
      cluster.send(
          "POST",
          "/_cluster/voting_config_exclusions?timeout=30s&node_names=" + String.join(",", batch));
      return await(ELECTION, () -> isElectedOutside(batch));
    } finally {
      boolean interrupted = Thread.interrupted();
      try {
        cluster.send("DELETE", "/_cluster/voting_config_exclusions?wait_for_removal=false");
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private boolean isElectedOutside(List<String> batch)
      throws OperationException, InterruptedException {
    String manager = ClusterLayout.read(cluster).manager();
    return !manager.isEmpty() && !batch.contains(manager);
  }

  OperationJournal drain(OperationJournal journal) throws OperationException, InterruptedException {
    for (String name : journal.batch()) {
      gateways.drain(name);
    }
    say(journal, "drained");
    return journal;
  }

  OperationJournal awaitIdle(OperationJournal journal)
      throws OperationException, InterruptedException {
    Set<String> busy = new HashSet<>();
    boolean idle =
        await(
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
        ClusterSettings.change(journal.found(), ClusterSettings.ALLOCATION, "primaries"));
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

  OperationJournal runCommands(OperationJournal begun, boolean repeats)
      throws OperationException, NodeCommand.FailedException, InterruptedException {
    OperationJournal journal = begun;
    for (String name : journal.batch()) {
      NodeRecord node = Objects.requireNonNull(journal.nodes().get(name), name);
      if (node.command() == CommandState.ENDED) {
        continue;
      }
      if (command.command().isEmpty()) {
        say(journal, "restart " + name + " now");
        continue;
      }
      if (node.command() == CommandState.NONE || mustRepeat(journal, name, node, repeats)) {
        ClusterLayout.Node target = ClusterLayout.read(cluster).findNode(name);
        if (target == null) {
          throw new OperationException(
              "node "
                  + name
                  + " has left the cluster, so its command was not run: start it, then go on with"
                  + " --resume, or end the operation with --abort");
        }
        journal = journal.withNode(name, node.with(CommandState.BEGUN));
        store.write(journal);
        observer.onStep(OperationStep.RUN_COMMAND, OperationObserver.Moment.COMMAND, List.of(name));
        say(journal, "running the command for " + name);
        command.run(target);
      }
      journal = journal.withNode(name, node.with(CommandState.ENDED));
      store.write(journal);
    }
    return journal;
  }

  /** Decides about a command that a process began that has ended since. */
  private boolean mustRepeat(
      OperationJournal journal, String name, NodeRecord node, boolean repeats)
      throws OperationException, InterruptedException {
    if (!repeats) {
      return true;
    }
    if (journal.kind().restarts()) {
      boolean restarted =
          await(
              command.doubt() == CommandDoubt.ASK ? COMMAND_GRACE : Duration.ZERO,
              () -> {
                ClusterLayout.Node now = ClusterLayout.read(cluster).findNode(name);
                return now == null || !now.ephemeralId().equals(node.ephemeralId());
              });
      say(journal, restarted ? name + " has restarted already" : name + " has not restarted yet");
      if (restarted) {
        return false;
      }
    }
    return switch (command.doubt()) {
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

  OperationJournal awaitReturn(OperationJournal journal)
      throws OperationException, InterruptedException {
    boolean returned =
        await(
            journal.options().returnTimeout(),
            () ->
                hasReturned(journal, ClusterLayout.read(cluster))
                    && gateways.knowAll(journal.batch()));
    if (!returned) {
      store.requireOwn(journal);
      cluster.changeSettings(ClusterSettings.restored(journal.found()));
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

  private static boolean hasReturned(OperationJournal journal, ClusterLayout layout) {
    for (String name : journal.batch()) {
      ClusterLayout.Node now = layout.findNode(name);
      NodeRecord before = journal.nodes().get(name);
      if (now == null || before == null || now.ephemeralId().equals(before.ephemeralId())) {
        return false;
      }
    }
    return true;
  }

  OperationJournal allocateAll(OperationJournal journal)
      throws OperationException, InterruptedException {
    cluster.changeSettings(ClusterSettings.restored(journal.found(), ClusterSettings.ALLOCATION));
    return journal;
  }

  OperationJournal awaitGreen(OperationJournal journal, double calmP99Millis)
      throws OperationException, InterruptedException {
    RecoveryPacer pacer =
        new RecoveryPacer(journal.found(), calmP99Millis, journal.options().maxP99Ratio());
    long[] next = {System.nanoTime()};
    boolean green =
        await(
            journal.options().greenTimeout(),
            () -> {
              JsonTree health = cluster.health();
              if (health.text("status").equals("green")
                  && health.number("initializing_shards") == 0
                  && health.number("relocating_shards") == 0) {
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
      cluster.changeSettings(ClusterSettings.restored(journal.found()));
      throw new OperationException(
          "the cluster was not green within "
              + journal.options().greenTimeout().toSeconds()
              + " s; its settings are as before. Find out why by GET /_cluster/allocation/explain,"
              + " then go on with --resume, or end the operation with --abort");
    }
    say(journal, "the cluster is green");
    return journal;
  }

  OperationJournal restore(OperationJournal journal)
      throws OperationException, InterruptedException {
    cluster.changeSettings(ClusterSettings.restored(journal.found()));
    Duration ramp = journal.options().ramp();
    for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
      if (node.getValue().weight() < 1) {
        gateways.setWeight(node.getKey(), node.getValue().weight());
      } else if (ramp.isZero()) {
        gateways.setWeight(node.getKey(), 1);
      } else {
        gateways.restore(node.getKey(), ramp);
      }
    }
    if (await(ramp.plus(RAMP_SLACK), () -> hasItsShare(journal))) {
      for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
        if (node.getValue().weight() >= 1) {
          gateways.setWeight(node.getKey(), 1); // removes the setting
        }
      }
    }
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
