package dev.weir.observe.trace;

import dev.weir.observe.MetricRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What became of spans, and how many of them wait. Safe on any thread. */
final class SpanCounters {
  private final int maxWaiting;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder exported = new LongAdder();
  private final LongAdder exportFailures = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  /**
   * Begins at zero.
   *
   * @param most how many may wait
   */
  SpanCounters(int most) {
    this.maxWaiting = most;
  }

  /** Lets a span wait, or counts it as dropped; says whether it may. */
  boolean tryEnqueue() {
    if (waiting.incrementAndGet() > maxWaiting) {
      waiting.decrementAndGet();
      dropped.increment();
      return false;
    }
    return true;
  }

  /** Some of them wait no more. */
  void recordSent(int spans, boolean success) {
    waiting.addAndGet(-spans);
    (success ? exported : exportFailures).add(spans);
  }

  int waiting() {
    return waiting.get();
  }

  long exported() {
    return exported.sum();
  }

  long exportFailures() {
    return exportFailures.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  void bind(MetricRegistry figures) {
    figures
        .counter("weir_spans_exported", "Spans that the collector took", this::exported)
        .counter(
            "weir_span_export_failures",
            "Spans that the collector did not take",
            this::exportFailures)
        .counter(
            "weir_spans_dropped", "Spans dropped because too many waited to be sent", this::dropped)
        .gauge("weir_spans_queued", "Spans that wait to be sent", this::waiting);
  }
}
