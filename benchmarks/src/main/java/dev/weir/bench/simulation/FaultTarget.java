package dev.weir.bench.simulation;

import java.util.List;
import java.util.random.RandomGenerator;

/** What a scenario's script may change during a run. */
interface FaultTarget {
  /** Returns the data nodes; a script sets their fields. */
  List<SimulatedNode> nodes();

  /** Schedules a change at a time from the start. */
  void schedule(double seconds, Runnable change);

  /** Pauses a gateway for a time from now. */
  void pauseGateway(int index, double seconds);

  /** Sets the factor of the scenario's load from now on. */
  void setLoadFactor(double factor);

  /** Returns a random generator, separate from that of the load; equal at each call. */
  RandomGenerator scriptRandom();
}
