package dev.weir.routing;

import java.util.List;

/** A policy's score of a node. Safe on any thread. */
interface NodeScorer {
  /**
   * The score, finite, smaller is better. Allocates nothing.
   *
   * @param costClass of the request
   */
  double score(NodePhaseState state, int costClass, long now);

  /** What the numbers behind the score are. */
  ScoreFormula formula();

  /** Writes down the numbers behind the score, as the scale names them. Allocates nothing. */
  void writeTermValues(NodePhaseState state, int costClass, long now, double[] into, int at);

  /** The numbers behind the score. */
  default List<RankingExplanation.Term> terms(NodePhaseState state, int costClass, long now) {
    double[] numbers = new double[formula().termSpecs().size()];
    writeTermValues(state, costClass, now, numbers, 0);
    return formula().terms(numbers, 0);
  }
}
