package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.routing.Scale.Name;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Orders copies as OpenSearch does, quirks included, to compare with: nodes without statistics
 * first, failures unheeded, each decision moves the losers' statistics toward the winner's.
 */
final class StockSelector implements ReplicaSelector, Rank {
  private static final double MILLI = 1e6;
  private static final Scale SCALE =
      new Scale(
          "stock",
          "R - 1 / S + qhat^3 / S, qhat = 1 + outstanding * n + q",
          List.of(
              Name.millis("R"),
              Name.millis("S"),
              Name.number("q"),
              Name.number("outstanding"),
              Name.number("n")));

  private final NodeLoadTracker tracker;
  private final RoundRobinSelector turns;

  StockSelector(NodeLoadTracker tracker, RandomGenerator random) {
    this.tracker = tracker;
    this.turns = new RoundRobinSelector(random);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    turns.order(copies, count, phase);
    int ready = 0;
    while (ready < count && !copies[ready].initializing()) {
      ready++;
    }
    int nodes = tracker.reporting(phase);
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
    NodeState winner = tracker.state(copies[0].nodeId(), phase);
    if (!winner.stock.known()) {
      return;
    }
    for (int i = 1; i < ready; i++) {
      NodeState loser = tracker.state(copies[i].nodeId(), phase);
      if (loser.stock.known()) {
        loser.stock.adjustToward(winner.stock);
      }
    }
  }

  private double rank(ShardCopy copy, Phase phase, int nodes) {
    NodeState state = tracker.state(copy.nodeId(), phase);
    return state.stock.known()
        ? state.stock.rank(state.outstanding(), nodes)
        : Double.NEGATIVE_INFINITY;
  }

  @Override
  public Explanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return Explanations.explain(
        this,
        phase,
        copies,
        copy -> {
          NodeState state = tracker.state(copy.nodeId(), phase);
          Standing standing = standing(copy, state);
          double score = standing == Standing.UNSEEN ? 0 : of(state, 0, 0);
          return new Explanations.Judged(copy, standing, score, terms(state, 0, 0), 1);
        });
  }

  @Override
  public double of(NodeState state, int costClass, long now) {
    return state.stock.known()
        ? state.stock.rank(state.outstanding(), tracker.reporting(state.phase))
        : 0;
  }

  @Override
  public Scale scale() {
    return SCALE;
  }

  @Override
  public Weighed weigh(ShardCopy copy, Work work) {
    NodeState state = tracker.state(copy.nodeId(), work.phase());
    double[] numbers = new double[SCALE.width()];
    numbers[0] = of(state, 0, 0);
    numbers(state, 0, 0, numbers, 1);
    return new Weighed(copy.nodeId(), standing(copy, state), SCALE, numbers);
  }

  @Override
  public void numbers(NodeState state, int costClass, long now, double[] into, int at) {
    double[] values = state.stock.values();
    into[at] = values[1] / MILLI;
    into[at + 1] = values[2] / MILLI;
    into[at + 2] = values[0];
    into[at + 3] = state.outstanding();
    into[at + 4] = tracker.reporting(state.phase);
  }

  private static Standing standing(ShardCopy copy, NodeState state) {
    return copy.initializing()
        ? Standing.INITIALIZING
        : state.stock.known() ? Standing.KNOWN : Standing.UNSEEN;
  }
}
