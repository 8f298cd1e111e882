package dev.weir.routing.estimate;

import dev.weir.config.policy.RoutingPolicy;

/**
 * What went wrong lately with one node and phase; immutable.
 *
 * <p>Three connections lost in a row eject it (it is tried last) for 0.5 s, 1 s, 2 s ... 16 s;
 * errors that the node itself answers count a third. When the time is over one request is let
 * through; until it succeeds the node stays ejected for twice as long.
 *
 * @param rate share of failures, as of {@code atNanos}
 * @param atNanos when something last went wrong or right
 * @param inARow thirds of failures without a success between them
 * @param ejections how often in a row it was ejected
 * @param ejectedUntilNanos valid while {@code ejected}
 * @param ejected whether it is, or is on probation after it
 */
public record Faults(
    double rate, long atNanos, int inARow, int ejections, long ejectedUntilNanos, boolean ejected) {

  /** Nothing went wrong. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0, false);

  private static final double GAIN = 0.3;
  private static final int MOST_DOUBLINGS = 30;
  private static final int HARD = 3;
  private static final int SOFT = 1;

  /** The share of failures as it still counts. */
  public double fadedRate(long now, RoutingPolicy.Health policy) {
    return rate == 0 ? 0 : rate * Timings.fading(now - atNanos, policy.failureMemory().toNanos());
  }

  /** With one success. */
  public Faults succeeded(long now, RoutingPolicy.Health policy) {
    if (rate == 0 && inARow == 0 && !ejected) {
      return this;
    }
    double left = fadedRate(now, policy) * (1 - GAIN);
    return new Faults(left < 1e-3 ? 0 : left, now, 0, ejections, ejectedUntilNanos, false);
  }

  /**
   * With one more failure.
   *
   * @param answered whether the node itself answered with an error
   * @param luck from 0 to 1, spreads the ends of ejections
   */
  public Faults failed(boolean answered, long now, double luck, RoutingPolicy.Health policy) {
    double before = fadedRate(now, policy);
    double after = before + GAIN * (1 - before);
    int row = Math.min(1 << 20, inARow + (answered ? SOFT : HARD));
    boolean eject = row >= policy.ejectAfter() * HARD && !ejected;
    if (!eject) {
      return new Faults(after, now, row, ejections, ejectedUntilNanos, ejected);
    }
    boolean again = ejections > 0 && now - ejectedUntilNanos < policy.ejectMax().toNanos();
    int times = again ? Math.min(ejections + 1, MOST_DOUBLINGS) : 1;
    return new Faults(after, now, row, times, now + ejectionNanos(times, luck, policy), true);
  }

  /**
   * The one request of a probation is taken. Until it succeeds the node stays ejected, for twice as
   * long as before.
   */
  public Faults probed(long now, double luck, RoutingPolicy.Health policy) {
    int times = Math.min(ejections + 1, MOST_DOUBLINGS);
    long until = now + ejectionNanos(times, luck, policy);
    return new Faults(rate, atNanos, inARow, times, until, true);
  }

  /** Whether its ejection is over and one request may try it. */
  public boolean awaitsProbe(long now) {
    return ejected && now - ejectedUntilNanos >= 0;
  }

  private static long ejectionNanos(int times, double luck, RoutingPolicy.Health policy) {
    double nanos = policy.ejectFor().toNanos() * Math.pow(2, Math.max(0, times - 1));
    return (long) (Math.min(nanos, (double) policy.ejectMax().toNanos()) * (0.75 + 0.5 * luck));
  }
}
