package dev.weir.bench.warmup;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The latencies of one round, in microseconds. Safe on any thread. */
final class ReturningNodeLatencies {
  private final Histogram calmClients = new ConcurrentHistogram(3);
  private final Histogram clients = new ConcurrentHistogram(3);
  private final Histogram returning = new ConcurrentHistogram(3);
  private final Histogram others = new ConcurrentHistogram(3);

  void addClient(boolean isCalm, long micros) {
    (isCalm ? calmClients : clients).recordValue(micros);
  }

  /** Adds a call to a node in the first minute after the return. */
  void addCall(boolean isReturning, long micros) {
    (isReturning ? returning : others).recordValue(micros);
  }

  double calmClientMillis() {
    return p99(calmClients);
  }

  double clientMillis() {
    return p99(clients);
  }

  double returningMillis() {
    return p99(returning);
  }

  double otherMillis() {
    return p99(others);
  }

  /** Returns the p99 of the returning node's calls, relative to the others'. */
  double returningRatio() {
    return returningMillis() / otherMillis();
  }

  /** Returns the returning node's share of the calls. */
  double returningShare() {
    double all = returning.getTotalCount() + others.getTotalCount();
    return returning.getTotalCount() / all;
  }

  long returningCalls() {
    return returning.getTotalCount();
  }

  private static double p99(Histogram latencies) {
    return latencies.getTotalCount() == 0
        ? Double.NaN
        : latencies.getValueAtPercentile(99) / 1000.0;
  }
}
