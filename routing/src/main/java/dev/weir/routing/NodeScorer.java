package dev.weir.routing;

import java.util.List;

/** Scores nodes by one policy. Safe on any thread. */
interface NodeScorer {
  /**
   * Returns a finite score; smaller is better. Allocates nothing.
   *
   * @param costClass the cost class of the request
   */
  double score(NodePhaseState state, int costClass, long now);

  /** Returns the names of the score's terms. */
  ScoreFormula formula();

  /** Writes the values of the score's terms in the formula's order. Allocates nothing. */
  void writeTermValues(NodePhaseState state, int costClass, long now, double[] into, int at);

  /** Returns the terms of the score. */
  default List<RankingExplanation.Term> terms(NodePhaseState state, int costClass, long now) {
    double[] numbers = new double[formula().termSpecs().size()];
    writeTermValues(state, costClass, now, numbers, 0);
    return formula().terms(numbers, 0);
  }
}
