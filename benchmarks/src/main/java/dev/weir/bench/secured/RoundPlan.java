package dev.weir.bench.secured;

/**
 * How long the paths are measured, in turn.
 *
 * @param warmUp seconds of load for each path before the first round
 * @param rounds of each path
 * @param seconds the length of a round
 * @param clients requests in flight
 */
record RoundPlan(double warmUp, int rounds, double seconds, int clients) {}
