package dev.weir.routing.estimate;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The recent failures of one node and phase; immutable.
 *
 * <p>Three calls in a row that were not sent, lost their connection or timed out eject the node (it
 * ranks last) for 0.5 s, 1 s, 2 s ... 16 s; the calls of one lost connection count each, and errors
 * in a node's response count a third. After that time one probe is sent; until it succeeds, the
 * node stays ejected for twice as long.
 *
 * <p>A connection belongs to all phases: what another phase's calls lost counts here too, until a
 * call of any phase succeeds.
 *
 * @param rate the fraction of failures, as of {@code updatedNanos}
 * @param updatedNanos the time of the last success or failure
 * @param consecutive thirds of failures without a success between them
 * @param lostElsewhere how many of these thirds come from calls of other phases
 * @param ejections the number of consecutive ejections
 * @param ejectedUntilNanos valid while {@code ejected}
 * @param ejected the node is ejected or awaits its probe
 */
public record FailureHistory(
    double rate,
    long updatedNanos,
    int consecutive,
    int lostElsewhere,
    int ejections,
    long ejectedUntilNanos,
    boolean ejected) {

  /** No failures. */
  public static final FailureHistory NONE = new FailureHistory(0, 0, 0, 0, 0, 0, false);

  private static final double GAIN = 0.3;
  private static final int MAX_DOUBLINGS = 30;
  private static final int NO_ANSWER_WEIGHT = 3;
  private static final int ERROR_WEIGHT = 1;
  private static final int MAX_CONSECUTIVE = 1 << 20;

  /** Returns the fraction of failures, decayed since the last update. */
  public double decayedRate(long now, RoutingPolicy.Health policy) {
    return rate == 0
        ? 0
        : rate * C3Averages.decayFactor(now - updatedNanos, policy.failureDecayTime().toNanos());
  }

  /** Adds a success. */
  public FailureHistory withSuccess(long now, RoutingPolicy.Health policy) {
    if (rate == 0 && consecutive == 0 && !ejected) {
      return this;
    }
    double left = decayedRate(now, policy) * (1 - GAIN);
    return new FailureHistory(
        left < 1e-3 ? 0 : left, now, 0, 0, ejections, ejectedUntilNanos, false);
  }

  /**
   * Adds a failure.
   *
   * @param answered the node itself responded with an error
   * @param luck from 0 to 1, spreads the ends of ejections
   */
  public FailureHistory withFailure(
      boolean answered, long now, double luck, RoutingPolicy.Health policy) {
    return withFailure(
        answered ? ERROR_WEIGHT : NO_ANSWER_WEIGHT, lostElsewhere, now, luck, policy);
  }

  /** Adds a call of another phase that was not sent or lost its connection. */
  public FailureHistory withLossElsewhere(long now, double luck, RoutingPolicy.Health policy) {
    int lost = Math.min(MAX_CONSECUTIVE, lostElsewhere + NO_ANSWER_WEIGHT);
    return withFailure(NO_ANSWER_WEIGHT, lost, now, luck, policy);
  }

  private FailureHistory withFailure(
      int thirds, int lost, long now, double luck, RoutingPolicy.Health policy) {
    double before = decayedRate(now, policy);
    double after = before + GAIN * (1 - before);
    int row = Math.min(MAX_CONSECUTIVE, consecutive + thirds);
    if (ejected || !reachesEjection(row, policy)) {
      return new FailureHistory(after, now, row, lost, ejections, ejectedUntilNanos, ejected);
    }
    boolean again = ejections > 0 && now - ejectedUntilNanos < policy.maxEjectionTime().toNanos();
    int times = again ? Math.min(ejections + 1, MAX_DOUBLINGS) : 1;
    return new FailureHistory(
        after, now, row, lost, times, now + ejectionNanos(times, luck, policy), true);
  }

  /** Forgets what calls of other phases lost: the node can be reached again. */
  public FailureHistory withoutLossesElsewhere(RoutingPolicy.Health policy) {
    if (lostElsewhere == 0) {
      return this;
    }
    int own = consecutive - lostElsewhere;
    boolean stays = ejected && reachesEjection(own, policy);
    return new FailureHistory(rate, updatedNanos, own, 0, ejections, ejectedUntilNanos, stays);
  }

  private static boolean reachesEjection(int thirds, RoutingPolicy.Health policy) {
    return thirds >= policy.maxConsecutiveFailures() * NO_ANSWER_WEIGHT;
  }

  /**
   * Takes the one probe after an ejection. Until it succeeds, the node stays ejected for twice as
   * long as before.
   */
  public FailureHistory withProbe(long now, double luck, RoutingPolicy.Health policy) {
    int times = Math.min(ejections + 1, MAX_DOUBLINGS);
    long until = now + ejectionNanos(times, luck, policy);
    return new FailureHistory(rate, updatedNanos, consecutive, lostElsewhere, times, until, true);
  }

  /** Returns true if the ejection time is over and one probe may be sent. */
  public boolean isAwaitingProbe(long now) {
    return ejected && now - ejectedUntilNanos >= 0;
  }

  private static long ejectionNanos(int times, double luck, RoutingPolicy.Health policy) {
    double nanos = policy.baseEjectionTime().toNanos() * Math.pow(2, Math.max(0, times - 1));
    return (long)
        (Math.min(nanos, (double) policy.maxEjectionTime().toNanos()) * (0.75 + 0.5 * luck));
  }
}
