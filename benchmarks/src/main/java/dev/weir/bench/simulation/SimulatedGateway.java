package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that sends shard requests to copies, retries them after failures, and hedges late ones.
 * With admission, searches wait until their nodes are below their limits, and choose their copies
 * when they go, as in the gateway itself.
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
  private final @Nullable SimulatedHedging hedging;
  private final @Nullable SimulatedAdmission admission;
  private final ShardCopy[] candidates;
  private int candidateCount;
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
      GatewayDesign.Components parts,
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
    this.admission = parts.admission();
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

  void submit(SimulatedShardRequest.SimulatedSearch search, List<SimulatedShardRequest> requests) {
    runWhenAwake(() -> {
      if (admission == null) {
        requests.forEach(this::route);
      } else {
        admit(admission, search, requests);
      }
    });
  }

  /** Sends a search at once if its first choices have capacity; otherwise it asks for admission. */
  private void admit(
      SimulatedAdmission limits,
      SimulatedShardRequest.SimulatedSearch search,
      List<SimulatedShardRequest> requests) {
    List<List<ShardCopy>> copies = new ArrayList<>(requests.size());
    List<List<String>> nodes = new ArrayList<>(requests.size());
    Map<String, Integer> callsByNode = new HashMap<>();
    for (SimulatedShardRequest request : requests) {
      List<ShardCopy> ranked = rank(request);
      copies.add(ranked);
      nodes.add(
          selector.waitableCopies(ranked, Phase.QUERY).stream().map(ShardCopy::nodeId).toList());
      ranked.stream().limit(1).forEach(first -> callsByNode.merge(first.nodeId(), 1, Integer::sum));
    }
    boolean fits = !limits.requestsWait();
    for (Map.Entry<String, Integer> node : callsByNode.entrySet()) {
      fits &= limits.hasCapacity(node.getKey(), node.getValue());
    }
    if (fits) {
      sendAll(limits, new SimulatedAdmission.Unreserved(false), requests, copies, true);
      return;
    }
    boolean[] decidedNow = {true};
    limits.request(
        nodes,
        search.heaviestCostClass,
        decision -> {
          boolean fresh = decidedNow[0];
          runWhenAwake(() -> sendAll(limits, decision, requests, copies, fresh));
        });
    decidedNow[0] = false;
  }

  private void sendAll(
      SimulatedAdmission limits,
      SimulatedAdmission.Admission decision,
      List<SimulatedShardRequest> requests,
      List<List<ShardCopy>> copies,
      boolean isFreshlyRanked) {
    if (decision.isRejected()) {
      requests.forEach(request -> finish(request, false));
      return;
    }
    for (int i = 0; i < requests.size(); i++) {
      SimulatedShardRequest request = requests.get(i);
      List<ShardCopy> all = copies.get(i);
      List<ShardCopy> free =
          all.stream()
              .filter(copy ->
                  decision.isReservedOn(copy.nodeId()) || limits.hasCapacity(copy.nodeId(), 1))
              .toList();
      List<ShardCopy> choices = free.isEmpty() ? all : free;
      if (choices.isEmpty()) {
        finish(request, false);
      } else {
        current.set(request);
        ShardCopy best =
            selector.selectForSend(choices, Phase.QUERY, request.costClass, isFreshlyRanked);
        current.set(null);
        send(request, best, false);
      }
    }
    limits.release(decision);
  }

  private List<ShardCopy> rank(SimulatedShardRequest request) {
    selectCopy(request);
    return List.of(Arrays.copyOf(candidates, candidateCount));
  }

  private void route(SimulatedShardRequest request) {
    ShardCopy best = selectCopy(request);
    if (best == null) {
      finish(request, false);
    } else {
      send(request, best, false);
    }
  }

  private @Nullable ShardCopy selectCopy(SimulatedShardRequest request) {
    candidateCount = cluster.fillCandidates(request, candidates);
    current.set(request);
    selector.order(candidates, candidateCount, Phase.QUERY, request.costClass);
    current.set(null);
    return candidateCount == 0 ? null : candidates[0];
  }

  private void send(SimulatedShardRequest request, ShardCopy copy, boolean second) {
    SimulatedNode node = cluster.node(copy);
    NodeLoadRecorder.OutstandingRequest outstanding =
        recorder.startRequest(copy.nodeId(), Phase.QUERY, request.costClass);
    SimulatedAttempt attempt =
        new SimulatedAttempt(
            request, node, outstanding, cluster.engine.nowNanos(), this::onResponse);
    if (admission != null) {
      admission.onSend(attempt);
    }
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
      long delay = second ? -1 : hedging.onFirstSent(attempt);
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
    if (hedging.tryHedge(attempt, other, admission != null && admission.requestsWait())) {
      send(request, other, true);
    } else {
      long again = hedging.recheckDelayNanos(attempt, waited);
      if (again >= 0) {
        runAfter(again, () -> checkHedge(attempt, again));
      }
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
    if (admission != null) {
      admission.onEnd(attempt, status, queue);
    }
    if (request.finished) {
      return; // the loser of a hedge, or a test of its node
    }
    if (status == SimulatedAttempt.Status.OK) {
      onSuccess(request);
    } else if (request.outstandingAttempts == 0 && request.attempts < MAX_ATTEMPTS) {
      route(request);
    } else if (request.outstandingAttempts == 0) {
      finish(request, false);
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

  private void finish(SimulatedShardRequest request, boolean ok) {
    listener.onShardFinished(request, ok);
    SimulatedShardRequest.SimulatedSearch search = request.search;
    if (admission != null && search.remainingShards == 0) {
      admission.onSearchEnd(search, !search.failed);
    }
  }

  private void onSuccess(SimulatedShardRequest request) {
    if (hedging != null) {
      hedging.onResponse(request.sentAttempts.getFirst());
    }
    request.sentAttempts.forEach(this::onFailure);
    finish(request, true);
  }

  private void onFailure(SimulatedAttempt loser) {
    if (!loser.finished
        && loser.outstanding.trialReason() != NodeLoadRecorder.TrialReason.EJECTION_PROBE) {
      loser.finished = true;
      loser.outstanding.onAbandon();
      if (admission != null) {
        admission.onEnd(loser, null, -1);
      }
      cluster.engine.scheduleAfter(cluster.network.drawDelayNanos(), () -> loser.cancelled = true);
    }
  }
}
