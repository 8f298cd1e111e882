package dev.weir.bench.batches;

import dev.weir.bench.ClosedLoopLoad;
import java.io.PrintStream;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What the searches of some rounds cost.
 *
 * @param searches that were answered
 * @param errors answers that were no success
 * @param sentMessages messages from the gateway to nodes for them
 * @param gatewayNanos CPU time of the gateway
 * @param nodeNanos CPU time of all data nodes
 * @param latencies in microseconds
 */
record SearchCosts(
    long searches,
    long errors,
    double sentMessages,
    long gatewayNanos,
    long nodeNanos,
    Histogram latencies) {
  /** No searches. */
  static final SearchCosts NONE = new SearchCosts(0, 0, 0, 0, 0, new Histogram(3));

  /** Returns the costs of the searches of a run. */
  static SearchCosts of(
      ClosedLoopLoad.Result run, double sentMessages, long gatewayNanos, long nodeNanos) {
    return new SearchCosts(
        run.requests(), run.errors(), sentMessages, gatewayNanos, nodeNanos, run.latencies());
  }

  /** Returns the same costs with another number of messages. */
  SearchCosts withMessages(double messages) {
    return new SearchCosts(searches, errors, messages, gatewayNanos, nodeNanos, latencies);
  }

  SearchCosts plus(SearchCosts other) {
    Histogram all = latencies.copy();
    all.add(other.latencies);
    return new SearchCosts(
        searches + other.searches,
        errors + other.errors,
        sentMessages + other.sentMessages,
        gatewayNanos + other.gatewayNanos,
        nodeNanos + other.nodeNanos,
        all);
  }

  /** Returns the messages a search. */
  double messages() {
    return sentMessages / searches;
  }

  /** Returns the gateway's CPU time of a search in microseconds. */
  double gatewayMicros() {
    return gatewayNanos / 1e3 / searches;
  }

  /** Returns the CPU time of a search in all nodes, in microseconds. */
  double nodeMicros() {
    return nodeNanos / 1e3 / searches;
  }

  /** Returns a percentile of the latency in milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e3;
  }

  void print(PrintStream out, String title) {
    print(out, title, "searches");
  }

  /** Prints the costs of other requests than searches. */
  void print(PrintStream out, String title, String requests) {
    out.printf(
        Locale.ROOT,
        "%-32s %6d %s  %6.1f messages  gateway %7.0f CPU-us  nodes %8.0f CPU-us"
            + "  p50 %6.1f ms  p99 %6.1f ms%n",
        title,
        searches,
        requests,
        messages(),
        gatewayMicros(),
        nodeMicros(),
        millis(50),
        millis(99));
  }
}
