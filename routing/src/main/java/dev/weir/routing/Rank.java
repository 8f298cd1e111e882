package dev.weir.routing;

import java.util.List;

/** A policy's score of a node. Safe on any thread. */
interface Rank {
  /**
   * The score, finite, smaller is better. Allocates nothing.
   *
   * @param costClass of the request
   */
  double of(NodeState state, int costClass, long now);

  /** What the numbers behind the score are. */
  Scale scale();

  /** Writes down the numbers behind the score, as the scale names them. Allocates nothing. */
  void numbers(NodeState state, int costClass, long now, double[] into, int at);

  /** The numbers behind the score. */
  default List<Explanation.Term> terms(NodeState state, int costClass, long now) {
    double[] numbers = new double[scale().names().size()];
    numbers(state, costClass, now, numbers, 0);
    return scale().terms(numbers, 0);
  }
}
