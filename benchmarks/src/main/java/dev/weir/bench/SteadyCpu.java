package dev.weir.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * Watches the CPU time of a contender's requests, round by round, until it has stopped falling: a
 * JVM takes minutes to compile what it runs. Confined to one thread.
 */
public final class SteadyCpu {
  private static final int LAST_ROUNDS = 3;
  private static final double MAX_FALL = 0.03;

  private final List<Double> rounds = new ArrayList<>();

  /** Creates a watch of no rounds. */
  public SteadyCpu() {}

  /** Adds the CPU time a request of a round, in any unit. */
  public void add(double cpuOfRequest) {
    rounds.add(cpuOfRequest);
  }

  /** Returns whether the last three rounds are less than 3 % below the lowest before them. */
  public boolean isSteady() {
    return hasEnoughRounds() && fall() < MAX_FALL;
  }

  /** Returns whether there were enough rounds to say whether the CPU time still falls. */
  public boolean hasEnoughRounds() {
    return rounds.size() > LAST_ROUNDS;
  }

  /** Returns how far the last three rounds are below the lowest before them, as a fraction. */
  public double fall() {
    int split = Math.max(1, rounds.size() - LAST_ROUNDS);
    double before = lowest(rounds.subList(0, Math.min(split, rounds.size())));
    double last = lowest(rounds.subList(Math.min(split, rounds.size()), rounds.size()));
    return rounds.size() <= LAST_ROUNDS ? 1 : 1 - last / before;
  }

  private static double lowest(List<Double> of) {
    return of.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }
}
