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
record RoundPlan(double maxWarmUp, int rounds, double seconds, int clients) {}
