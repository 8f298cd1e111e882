package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.HedgePlanner;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.ReplicaSelector;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that sends shard requests to copies, retries them after failures, and hedges late ones.
 */
final class SimulatedGateway {
  private static final int MAX_ATTEMPTS = 3;

  private final SimulatedCluster cluster;
  private final RunMeasurements outcome;
  private final ShardListener listener;
  private final CurrentRequest current;
  private final NodeLoadTracker tracker;
  private final NodeLoadRecorder recorder;
  private final ReplicaSelector selector;
  private final @Nullable HedgePlanner hedging;
  private final ShardCopy[] candidates;
  private long pausedUntil;

  /** Receives the outcome of shard requests. */
  interface ShardListener {
    void onShardFinished(SimulatedShardRequest request, boolean ok);
  }

  /**
   * Creates a gateway.
   *
   * @param current the gateway sets it while {@code parts} select a copy
   * @param outcome records the attempts of measured searches
   */
  SimulatedGateway(
      SimulatedCluster cluster,
      SelectionStrategy.Components parts,
      CurrentRequest current,
      RunMeasurements outcome,
      ShardListener listener) {
    this.cluster = cluster;
    this.current = current;
    this.outcome = outcome;
    this.listener = listener;
    this.tracker = parts.tracker();
    this.recorder = parts.recorder();
    this.selector = parts.selector();
    this.hedging = parts.hedging();
    this.candidates = cluster.newCandidates();
    detectPause();
  }

  /** Pauses for a time: events during the pause are handled at its end. */
  void pause(double seconds) {
    pausedUntil = cluster.engine.nowNanos() + EventSimulator.seconds(seconds);
  }

  /** Runs an action now, or when the pause ends. */
  private void runWhenAwake(Runnable action) {
    if (cluster.engine.nowNanos() < pausedUntil) {
      cluster.engine.schedule(pausedUntil, () -> runWhenAwake(action));
    } else {
      action.run();
    }
  }

  private void runAfter(long nanos, Runnable action) {
    cluster.engine.scheduleAfter(nanos, () -> runWhenAwake(action));
  }

  private void detectPause() {
    tracker.recordHeartbeat();
    runAfter(NodeLoadTracker.HEARTBEAT_INTERVAL.toNanos(), this::detectPause);
  }

  void submit(SimulatedShardRequest request) {
    runWhenAwake(() -> route(request));
  }

  private void route(SimulatedShardRequest request) {
    ShardCopy best = selectCopy(request);
    if (best == null) {
      listener.onShardFinished(request, false);
    } else {
      send(request, best, false);
    }
  }

  private @Nullable ShardCopy selectCopy(SimulatedShardRequest request) {
    int count = cluster.fillCandidates(request, candidates);
    current.set(request);
    selector.order(candidates, count, Phase.QUERY, request.costClass);
    current.set(null);
    return count == 0 ? null : candidates[0];
  }

  private void send(SimulatedShardRequest request, ShardCopy copy, boolean second) {
    SimulatedNode node = cluster.node(copy);
    NodeLoadRecorder.OutstandingRequest outstanding =
        recorder.startRequest(copy.nodeId(), Phase.QUERY, request.costClass);
    SimulatedAttempt attempt = new SimulatedAttempt(request, outstanding, this::onResponse);
    request.triedCopies |= 1L << node.index;
    request.outstandingAttempts++;
    if (request.search.measured) {
      outcome.recordAttempt(
          cluster.engine.nowNanos(), node.index, !second && request.attempts == 0, second);
    }
    node.arriving.add(attempt);
    cluster.engine.scheduleAfter(
        cluster.network.drawDelayNanos() + node.extraNetworkNanos, () -> node.onArrival(attempt));
    request.sentAttempts.add(attempt);
    request.attempts += second ? 0 : 1;
    if (hedging != null) {
      long delay = second ? -1 : hedging.onFirstSent(outstanding);
      if (delay >= 0) {
        runAfter(delay, () -> checkHedge(attempt, delay));
      }
    }
  }

  /** Sends a hedged request for a late one if it is due. */
  private void checkHedge(SimulatedAttempt attempt, long waited) {
    SimulatedShardRequest request = attempt.request;
    if (hedging == null || request.finished || request.outstandingAttempts > 1) {
      return;
    }
    ShardCopy other = selectCopy(request);
    if (other == null) {
      return;
    }
    if (hedging.tryHedge(attempt.outstanding, other, false)) {
      send(request, other, true);
    } else {
      long again = hedging.recheckDelayNanos(attempt.outstanding, waited);
      runAfter(again, () -> checkHedge(attempt, again));
    }
  }

  private void onResponse(
      SimulatedAttempt attempt, SimulatedAttempt.Status status, int queue, long serviceNanos) {
    runWhenAwake(() -> handleResponse(attempt, status, queue, serviceNanos));
  }

  private void handleResponse(
      SimulatedAttempt attempt, SimulatedAttempt.Status status, int queue, long serviceNanos) {
    if (attempt.finished) {
      return;
    }
    attempt.finished = true;
    SimulatedShardRequest request = attempt.request;
    request.outstandingAttempts--;
    recordOutcome(attempt, status, queue, serviceNanos);
    if (request.finished) {
      return; // the loser of a hedge, or a test of its node
    }
    if (status == SimulatedAttempt.Status.OK) {
      onSuccess(request);
    } else if (request.outstandingAttempts == 0 && request.attempts < MAX_ATTEMPTS) {
      route(request);
    } else if (request.outstandingAttempts == 0) {
      listener.onShardFinished(request, false);
    }
  }

  private static void recordOutcome(
      SimulatedAttempt attempt, SimulatedAttempt.Status status, int queue, long serviceNanos) {
    switch (status) {
      case OK -> attempt.outstanding.onResponse(queue, serviceNanos);
      case ERROR -> attempt.outstanding.onFailure(NodeLoadRecorder.Failure.ERROR);
      case REJECTED -> attempt.outstanding.onFailure(NodeLoadRecorder.Failure.REJECTED);
    }
  }

  private void onSuccess(SimulatedShardRequest request) {
    if (hedging != null) {
      hedging.onResponse(request.sentAttempts.getFirst().outstanding);
    }
    request.sentAttempts.forEach(this::onFailure);
    listener.onShardFinished(request, true);
  }

  private void onFailure(SimulatedAttempt loser) {
    if (!loser.finished
        && loser.outstanding.trialReason() != NodeLoadRecorder.TrialReason.EJECTION_PROBE) {
      loser.finished = true;
      loser.outstanding.onAbandon();
      cluster.engine.scheduleAfter(cluster.network.drawDelayNanos(), () -> loser.cancelled = true);
    }
  }
}
