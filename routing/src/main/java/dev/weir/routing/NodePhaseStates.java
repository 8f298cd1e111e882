package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.routing.estimate.FleetStatistics;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** The learned state of one node, by phase. Safe on any thread. */
final class NodePhaseStates {
  private static final Phase[] PHASES = Phase.values();

  private final NodePhaseState[] byPhase = new NodePhaseState[PHASES.length];

  /** The threads that nodes report; 0 while unknown. */
  private final AtomicIntegerArray threads = new AtomicIntegerArray(PHASES.length);

  private final IntSupplier usualThreads;

  NodePhaseStates(String nodeId, FleetStatistics[] fleets, IntSupplier usualThreads) {
    this.usualThreads = usualThreads;
    List<NodePhaseState> allPhases = Collections.unmodifiableList(Arrays.asList(byPhase));
    AtomicBoolean hasLosses = new AtomicBoolean();
    for (Phase phase : PHASES) {
      int p = phase.ordinal();
      byPhase[p] =
          new NodePhaseState(allPhases, hasLosses, nodeId, phase, fleets[p], () -> threads(p));
    }
  }

  private int threads(int phase) {
    int reported = threads.get(phase);
    return reported > 0 ? reported : usualThreads.getAsInt();
  }

  NodePhaseState of(Phase phase) {
    return byPhase[phase.ordinal()];
  }

  void threads(Phase phase, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("got " + count + " threads (expected: at least 1)");
    }
    threads.set(phase.ordinal(), count);
  }

  Stream<NodePhaseState> all() {
    return Stream.of(byPhase);
  }
}
