package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.ReplicaSelector;
import java.util.HashMap;
import java.util.Map;

/**
 * Selects by perfect reports: each response tells the exact number of requests at the node at that
 * moment, of all gateways and on their way too, and its exact speed; requests have the mean cost of
 * their class. In between, a gateway knows only what it sends itself, as any gateway does. So this
 * shows what more exact reports with the responses could gain.
 */
final class ReportOracleSelector implements ReplicaSelector, NodeLoadRecorder {
  private final SimulatedCluster cluster;
  private final CurrentRequest current;
  private final ServiceCosts costs;
  private final NodeLoadRecorder delegate;
  private final Map<String, Report> reports = new HashMap<>();

  /** The last report of a node, and what was sent since. */
  private static final class Report {
    int load;
    double slowFactor = 1;
    int sentSince;
    int outstanding;
  }

  ReportOracleSelector(
      SimulatedCluster cluster,
      CurrentRequest current,
      ServiceCosts costs,
      NodeLoadRecorder delegate) {
    this.cluster = cluster;
    this.current = current;
    this.costs = costs;
    this.delegate = delegate;
  }

  private Report report(String nodeId) {
    return reports.computeIfAbsent(nodeId, id -> new Report());
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    for (int i = 1; i < count; i++) {
      ShardCopy copy = copies[i];
      double finish = finishNanos(copy);
      int to = i;
      while (to > 0 && finish < finishNanos(copies[to - 1])) {
        copies[to] = copies[to - 1];
        to--;
      }
      copies[to] = copy;
    }
  }

  private double finishNanos(ShardCopy copy) {
    SimulatedNode node = cluster.node(copy);
    Report known = report(copy.nodeId());
    double load = Math.max(known.outstanding, known.load + known.sentSince);
    double waits = Math.max(0, load + 1 - node.threads) / node.threads;
    double cost = costs.meanNanos(current.get().costClass);
    // of nodes with a free thread, the one with the fewest requests
    double first = 1e-3 * load;
    return known.slowFactor * (cost + (waits + first) * costs.overallMeanMillis() * 1e6);
  }

  @Override
  public OutstandingRequest startRequest(String nodeId, Phase phase, int costClass) {
    Report known = report(nodeId);
    known.sentSince++;
    known.outstanding++;
    return new Reported(nodeId, delegate.startRequest(nodeId, phase, costClass));
  }

  /** A request whose end reports the node's state. */
  private final class Reported implements OutstandingRequest {
    private final String nodeId;
    private final OutstandingRequest recorded;

    Reported(String nodeId, OutstandingRequest recorded) {
      this.nodeId = nodeId;
      this.recorded = recorded;
    }

    private void update() {
      SimulatedNode node = cluster.nodes.get(Integer.parseInt(nodeId.substring(1)));
      Report known = report(nodeId);
      known.load = node.load() + node.arriving.size();
      known.slowFactor = node.slowFactor;
      known.sentSince = 0;
      known.outstanding--;
    }

    @Override
    public void onResponse(int queueSize, long serviceTimeNanos) {
      update();
      recorded.onResponse(queueSize, serviceTimeNanos);
    }

    @Override
    public void onResponseWithoutStats() {
      update();
      recorded.onResponseWithoutStats();
    }

    @Override
    public void onFailure(Failure failure) {
      update();
      recorded.onFailure(failure);
    }

    @Override
    public TrialReason trialReason() {
      return recorded.trialReason();
    }

    @Override
    public void onAbandon() {
      report(nodeId).outstanding--;
      recorded.onAbandon();
    }
  }
}
