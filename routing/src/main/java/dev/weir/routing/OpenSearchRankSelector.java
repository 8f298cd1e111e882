package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ScoreFormula.TermSpec;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Orders copies as OpenSearch does, quirks included, to compare with: nodes without statistics
 * first, failures unheeded, each decision moves the losers' statistics toward the winner's.
 */
final class OpenSearchRankSelector implements ReplicaSelector, NodeScorer {
  private static final double MILLI = 1e6;
  private static final ScoreFormula FORMULA =
      new ScoreFormula(
          "stock",
          "R - 1 / S + qhat^3 / S, qhat = 1 + outstanding * n + q",
          List.of(
              TermSpec.millis("R"),
              TermSpec.millis("S"),
              TermSpec.number("q"),
              TermSpec.number("outstanding"),
              TermSpec.number("n")));

  private final NodeLoadTracker tracker;
  private final RoundRobinSelector roundRobin;

  OpenSearchRankSelector(NodeLoadTracker tracker, RandomGenerator random) {
    this.tracker = tracker;
    this.roundRobin = new RoundRobinSelector(random);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    roundRobin.order(copies, count, phase);
    int ready = 0;
    while (ready < count && !copies[ready].initializing()) {
      ready++;
    }
    int nodes = tracker.reportingNodes(phase);
    for (int i = 1; i < ready; i++) {
      ShardCopy copy = copies[i];
      double score = rank(copy, phase, nodes);
      int to = i;
      while (to > 0 && score < rank(copies[to - 1], phase, nodes)) {
        copies[to] = copies[to - 1];
        to--;
      }
      copies[to] = copy;
    }
    if (ready > 1) {
      adjust(copies, ready, phase);
    }
  }

  private void adjust(ShardCopy[] copies, int ready, Phase phase) {
    NodePhaseState winner = tracker.state(copies[0].nodeId(), phase);
    if (!winner.openSearchRank.isKnown()) {
      return;
    }
    for (int i = 1; i < ready; i++) {
      NodePhaseState loser = tracker.state(copies[i].nodeId(), phase);
      if (loser.openSearchRank.isKnown()) {
        loser.openSearchRank.adjustToward(winner.openSearchRank);
      }
    }
  }

  private double rank(ShardCopy copy, Phase phase, int nodes) {
    NodePhaseState state = tracker.state(copy.nodeId(), phase);
    return state.openSearchRank.isKnown()
        ? state.openSearchRank.rank(state.outstanding(), nodes)
        : Double.NEGATIVE_INFINITY;
  }

  @Override
  public RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return RankingExplainer.explain(
        this,
        phase,
        copies,
        copy -> {
          NodePhaseState state = tracker.state(copy.nodeId(), phase);
          CopyRank standing = copyRank(copy, state);
          double score = standing == CopyRank.UNKNOWN ? 0 : score(state, 0, 0);
          return new RankingExplainer.ExplainedCopy(copy, standing, score, terms(state, 0, 0), 1);
        });
  }

  @Override
  public double score(NodePhaseState state, int costClass, long now) {
    return state.openSearchRank.isKnown()
        ? state.openSearchRank.rank(state.outstanding(), tracker.reportingNodes(state.phase))
        : 0;
  }

  @Override
  public ScoreFormula formula() {
    return FORMULA;
  }

  @Override
  public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    NodePhaseState state = tracker.state(copy.nodeId(), work.phase());
    double[] numbers = new double[FORMULA.valueCount()];
    numbers[0] = score(state, 0, 0);
    writeTermValues(state, 0, 0, numbers, 1);
    return new ScoredCopy(copy.nodeId(), copyRank(copy, state), FORMULA, numbers);
  }

  @Override
  public void writeTermValues(
      NodePhaseState state, int costClass, long now, double[] into, int at) {
    double[] values = state.openSearchRank.values();
    into[at] = values[1] / MILLI;
    into[at + 1] = values[2] / MILLI;
    into[at + 2] = values[0];
    into[at + 3] = state.outstanding();
    into[at + 4] = tracker.reportingNodes(state.phase);
  }

  private static CopyRank copyRank(ShardCopy copy, NodePhaseState state) {
    return copy.initializing()
        ? CopyRank.INITIALIZING
        : state.openSearchRank.isKnown() ? CopyRank.SCORED : CopyRank.UNKNOWN;
  }
}
