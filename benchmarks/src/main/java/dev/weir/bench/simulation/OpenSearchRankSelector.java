package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.estimate.RepeatedReportDetector;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Ranks copies as OpenSearch does, for comparison: nodes without statistics first, failures
 * ignored, and each decision moves the other nodes' statistics toward the winner's. Learns from the
 * requests that pass through it to the tracker. Not thread-safe.
 */
final class OpenSearchRankSelector implements ReplicaSelector, NodeLoadRecorder {
  private final ReplicaSelector roundRobin;
  private final NodeLoadRecorder delegate;
  private final LongSupplier nanoTime;
  private final Map<String, NodeStatistics> nodes = new HashMap<>();

  /** The statistics of one node. */
  private static final class NodeStatistics {
    final OpenSearchNodeRank rank = new OpenSearchNodeRank();
    final RepeatedReportDetector repeats = new RepeatedReportDetector();
    int outstanding;
  }

  /**
   * Creates a selector without statistics.
   *
   * @param roundRobin orders copies of equal rank
   * @param delegate also records every request
   */
  OpenSearchRankSelector(
      ReplicaSelector roundRobin, NodeLoadRecorder delegate, LongSupplier nanoTime) {
    this.roundRobin = roundRobin;
    this.delegate = delegate;
    this.nanoTime = nanoTime;
  }

  private NodeStatistics statistics(String nodeId) {
    return nodes.computeIfAbsent(nodeId, id -> new NodeStatistics());
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    roundRobin.order(copies, count, phase);
    int ready = 0;
    while (ready < count && !copies[ready].initializing()) {
      ready++;
    }
    for (int i = 1; i < ready; i++) {
      ShardCopy copy = copies[i];
      double score = rank(copy);
      int to = i;
      while (to > 0 && score < rank(copies[to - 1])) {
        copies[to] = copies[to - 1];
        to--;
      }
      copies[to] = copy;
    }
    if (ready > 1) {
      adjustLosers(copies, ready);
    }
  }

  private void adjustLosers(ShardCopy[] copies, int ready) {
    OpenSearchNodeRank winner = statistics(copies[0].nodeId()).rank;
    if (!winner.isKnown()) {
      return;
    }
    for (int i = 1; i < ready; i++) {
      OpenSearchNodeRank loser = statistics(copies[i].nodeId()).rank;
      if (loser.isKnown()) {
        loser.adjustToward(winner);
      }
    }
  }

  private double rank(ShardCopy copy) {
    NodeStatistics known = statistics(copy.nodeId());
    return known.rank.isKnown()
        ? known.rank.rank(known.outstanding, reportingNodes())
        : Double.NEGATIVE_INFINITY;
  }

  private int reportingNodes() {
    return (int) nodes.values().stream().filter(node -> node.rank.isKnown()).count();
  }

  @Override
  public OutstandingRequest startRequest(String nodeId, Phase phase, int costClass) {
    NodeStatistics node = statistics(nodeId);
    node.outstanding++;
    return new RankedRequest(
        node, delegate.startRequest(nodeId, phase, costClass), nanoTime.getAsLong());
  }

  /** A request whose response updates the rank; only its first outcome counts. */
  private final class RankedRequest implements OutstandingRequest {
    private final NodeStatistics node;
    private final OutstandingRequest recorded;
    private final long sentAtNanos;
    private boolean finished;

    RankedRequest(NodeStatistics node, OutstandingRequest recorded, long sentAtNanos) {
      this.node = node;
      this.recorded = recorded;
      this.sentAtNanos = sentAtNanos;
    }

    private boolean finish() {
      boolean first = !finished;
      finished = true;
      node.outstanding -= first ? 1 : 0;
      return first;
    }

    @Override
    public void onResponse(int queueSize, long serviceTimeNanos) {
      if (finish() && serviceTimeNanos > 0 && !node.repeats.isRepeat(serviceTimeNanos)) {
        double responseNanos = nanoTime.getAsLong() - sentAtNanos;
        node.rank.add(Math.max(0, queueSize), responseNanos, (double) serviceTimeNanos);
      }
      recorded.onResponse(queueSize, serviceTimeNanos);
    }

    @Override
    public void onResponseWithoutStats() {
      finish();
      recorded.onResponseWithoutStats();
    }

    @Override
    public void onFailure(Failure failure) {
      finish();
      recorded.onFailure(failure);
    }

    @Override
    public TrialReason trialReason() {
      return recorded.trialReason();
    }

    @Override
    public void onAbandon() {
      finish();
      recorded.onAbandon();
    }
  }
}
