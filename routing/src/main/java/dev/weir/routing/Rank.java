package dev.weir.routing;

import java.util.List;

/** A policy's score of a node. Safe on any thread. */
interface Rank {
  /** The score, finite, smaller is better. Allocates nothing. */
  double of(NodeState state, long now);

  /** The numbers behind the score. */
  List<Explanation.Term> terms(NodeState state, long now);

  /** The policy's name in the configuration. */
  String name();

  /** What the score is. */
  String formula();
}
