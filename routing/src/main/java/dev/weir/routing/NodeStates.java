package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.routing.estimate.Fleet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

/** What is known of one node, by phase. Safe on any thread. */
final class NodeStates {
  private static final Phase[] PHASES = Phase.values();

  private final NodeState[] byPhase = new NodeState[PHASES.length];
  private final AtomicIntegerArray threads = new AtomicIntegerArray(PHASES.length);

  NodeStates(String nodeId, Fleet[] fleets, int usualThreads) {
    for (Phase phase : PHASES) {
      int p = phase.ordinal();
      threads.set(p, usualThreads);
      byPhase[p] = new NodeState(nodeId, phase, fleets[p], () -> threads.get(p));
    }
  }

  NodeState of(Phase phase) {
    return byPhase[phase.ordinal()];
  }

  void threads(Phase phase, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("got " + count + " threads (expected: at least 1)");
    }
    threads.set(phase.ordinal(), count);
  }

  Stream<NodeState> all() {
    return Stream.of(byPhase);
  }
}
