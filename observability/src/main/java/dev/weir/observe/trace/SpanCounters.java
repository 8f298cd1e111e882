package dev.weir.observe.trace;

import dev.weir.model.BoundedCounter;
import dev.weir.observe.MetricRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Counts exported, failed, dropped and queued spans. Safe on any thread. */
final class SpanCounters {
  private final int maxWaiting;
  private final BoundedCounter waiting = new BoundedCounter();
  private final LongAdder exported = new LongAdder();
  private final LongAdder exportFailures = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  /**
   * Creates counters at zero.
   *
   * @param maxWaiting the maximum of queued spans
   */
  SpanCounters(int maxWaiting) {
    this.maxWaiting = maxWaiting;
  }

  /**
   * Queues a span if the queue is below its maximum, otherwise counts it as dropped. Returns
   * whether it was queued.
   */
  boolean tryEnqueue() {
    boolean queued = waiting.tryAdd(1, maxWaiting);
    if (!queued) {
      dropped.increment();
    }
    return queued;
  }

  /** Removes spans from the queue's count. */
  void recordSent(int spans, boolean success) {
    waiting.subtract(spans);
    (success ? exported : exportFailures).add(spans);
  }

  long waiting() {
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
