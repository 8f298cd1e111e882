package dev.weir.bench.simulation;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The random delays of messages between gateways and nodes. */
final class SimulatedNetwork {
  private static final long MIN_DELAY_NANOS = 250_000;
  private static final double MEAN_JITTER_NANOS = 50_000;

  private final RandomGenerator random;

  SimulatedNetwork(long seed) {
    this.random = new SplittableRandom(17 * seed + 3);
  }

  /** Draws the delay of one message in one direction. */
  long drawDelayNanos() {
    return MIN_DELAY_NANOS + (long) (MEAN_JITTER_NANOS * random.nextExponential());
  }

  /** Returns true with the given probability. */
  boolean occurs(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }
}
