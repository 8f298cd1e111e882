package dev.weir.bench.secured;

/**
 * How long the paths are measured, in turn.
 *
 * @param maxWarmUp seconds of load for each path before the first round, if its CPU time a request
 *     falls for so long
 * @param rounds of each path
 * @param seconds the length of a round
 * @param clients requests in flight
 */
record RoundPlan(double maxWarmUp, int rounds, double seconds, int clients) {
  private static final double WARM_UP = 20;

  /** Returns the seconds of load for each path where its CPU time is not compared. */
  double warmUp() {
    return Math.min(WARM_UP, maxWarmUp);
  }
}
