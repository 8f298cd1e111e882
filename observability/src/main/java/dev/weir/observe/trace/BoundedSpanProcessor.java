package dev.weir.observe.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;

/** Passes ended spans on while the queue is below its bound. Safe on any thread. */
final class BoundedSpanProcessor implements SpanProcessor {
  private final SpanProcessor next;
  private final SpanCounters counts;

  BoundedSpanProcessor(SpanProcessor next, SpanCounters counts) {
    this.next = next;
    this.counts = counts;
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (counts.tryEnqueue()) {
      next.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return next.forceFlush();
  }
}
