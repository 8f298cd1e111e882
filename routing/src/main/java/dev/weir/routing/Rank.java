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

  /** The numbers behind the score. */
  List<Explanation.Term> terms(NodeState state, int costClass, long now);

  /** The policy's name in the configuration. */
  String name();

  /** What the score is. */
  String formula();
}
