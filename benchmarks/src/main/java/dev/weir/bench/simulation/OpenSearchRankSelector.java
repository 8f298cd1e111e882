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
 * Ranks copies as OpenSearch and Elasticsearch do, for comparison: nodes without statistics first,
 * failures ignored, and each decision moves the other nodes' statistics toward the winner's. Learns
 * from the requests that pass through it to the tracker. Not thread-safe.
 *
 * <p>Elasticsearch 9.5 protects a node with fewer than 100 responses: at two outstanding requests
 * it ranks last, and until then not before the best node with more responses ({@code
 * OperationRouting}, probe cap and warm-up samples).
 */
final class OpenSearchRankSelector implements ReplicaSelector, NodeLoadRecorder {
  private static final int WARM_RESPONSES = 100;
  private static final int MAX_OUTSTANDING_WHILE_COLD = 2;

  private final OpenSearchNodeRank.Formula formula;
  private final ReplicaSelector roundRobin;
  private final NodeLoadRecorder delegate;
  private final LongSupplier nanoTime;
  private final Map<String, NodeStatistics> nodes = new HashMap<>();

  /** The statistics of one node. */
  private static final class NodeStatistics {
    final OpenSearchNodeRank rank;
    final RepeatedReportDetector repeats = new RepeatedReportDetector();
    int outstanding;

    NodeStatistics(OpenSearchNodeRank.Formula formula) {
      this.rank = new OpenSearchNodeRank(formula);
    }
  }

  /**
   * Creates a selector without statistics.
   *
   * @param formula of the rank
   * @param roundRobin orders copies of equal rank
   * @param delegate also records every request
   */
  OpenSearchRankSelector(
      OpenSearchNodeRank.Formula formula,
      ReplicaSelector roundRobin,
      NodeLoadRecorder delegate,
      LongSupplier nanoTime) {
    this.formula = formula;
    this.roundRobin = roundRobin;
    this.delegate = delegate;
    this.nanoTime = nanoTime;
  }

  private NodeStatistics statistics(String nodeId) {
    return nodes.computeIfAbsent(nodeId, id -> new NodeStatistics(formula));
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    roundRobin.order(copies, count, phase);
    int ready = 0;
    while (ready < count && !copies[ready].initializing()) {
      ready++;
    }
    double bestWarm = bestWarmRank(copies, ready);
    for (int i = 1; i < ready; i++) {
      ShardCopy copy = copies[i];
      double score = rank(copy, bestWarm);
      int to = i;
      while (to > 0 && score < rank(copies[to - 1], bestWarm)) {
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

  private double rank(ShardCopy copy, double bestWarm) {
    NodeStatistics known = statistics(copy.nodeId());
    boolean protects = formula == OpenSearchNodeRank.Formula.ELASTICSEARCH_9_5;
    boolean cold = protects && known.rank.responses() < WARM_RESPONSES;
    if (cold && known.outstanding >= MAX_OUTSTANDING_WHILE_COLD) {
      return Double.POSITIVE_INFINITY;
    }
    if (!known.rank.isKnown()) {
      return Double.NEGATIVE_INFINITY;
    }
    double rank = known.rank.rank(known.outstanding, reportingNodes());
    return cold ? Math.max(rank, bestWarm) : rank;
  }

  /** Returns the best rank of a node with enough responses; negative infinity without one. */
  private double bestWarmRank(ShardCopy[] copies, int ready) {
    double best = Double.POSITIVE_INFINITY;
    for (int i = 0; i < ready; i++) {
      NodeStatistics node = statistics(copies[i].nodeId());
      if (node.rank.responses() >= WARM_RESPONSES) {
        best = Math.min(best, node.rank.rank(node.outstanding, reportingNodes()));
      }
    }
    return best == Double.POSITIVE_INFINITY ? Double.NEGATIVE_INFINITY : best;
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
        node.rank.addResponse(Math.max(0, queueSize), responseNanos, (double) serviceTimeNanos);
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
