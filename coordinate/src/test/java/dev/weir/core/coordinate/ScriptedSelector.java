package dev.weir.core.coordinate;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keeps copies in the order of the plan, or prefers a node that the test sets. */
final class ScriptedSelector implements ReplicaSelector {
  /** The preferred node; null for the first copy's. */
  @Nullable String preferredNode;

  /** Nodes for which no request waits while there are others. */
  final Set<String> unsteadyNodes = new HashSet<>();

  /** Nodes that can't answer. */
  final Set<String> failedNodes = new HashSet<>();

  /** Whether copies counted as freshly ranked when they were chosen. */
  final List<Boolean> freshlyRanked = new ArrayList<>();

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    // as planned
  }

  @Override
  public ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    freshlyRanked.add(isFreshlyRanked);
    return copies.stream()
        .filter(copy -> copy.nodeId().equals(preferredNode))
        .findFirst()
        .orElse(copies.getFirst());
  }

  @Override
  public boolean mayWaitFor(ShardCopy copy, Phase phase) {
    return !unsteadyNodes.contains(copy.nodeId());
  }

  @Override
  public boolean canAnswer(ShardCopy copy, Phase phase) {
    return !failedNodes.contains(copy.nodeId());
  }
}
