package dev.weir.observe.trace;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.RequestTrace;
import dev.weir.model.RequestTracer;
import dev.weir.model.TraceParent;
import dev.weir.observe.MetricRegistry;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records a sample of the requests as traces and exports their spans to a collector. Records
 * nothing while traces are disabled. Safe on any thread.
 */
public final class OpenTelemetryTraces implements RequestTracer, AutoCloseable {
  private final @Nullable SpanPipeline pipeline;
  private final DoubleSupplier random;
  private volatile TracesPolicy policy;

  /**
   * Creates it from a policy.
   *
   * @param pipe exports the spans; null while traces are disabled
   * @param random returns numbers from 0 to 1, 1 excluded
   */
  OpenTelemetryTraces(TracesPolicy policy, @Nullable SpanPipeline pipe, DoubleSupplier random) {
    this.policy = policy;
    this.pipeline = pipe;
    this.random = random;
  }

  /**
   * Starts with a policy.
   *
   * @param encrypted whether clients connect by HTTPS
   * @param figures registers the counters of spans
   */
  public static OpenTelemetryTraces create(
      TracesPolicy policy, boolean encrypted, MetricRegistry figures) {
    SpanCounters counts = new SpanCounters(policy.maxQueuedSpans());
    counts.bind(figures);
    return new OpenTelemetryTraces(
        policy,
        policy.enabled() ? SpanPipeline.createOtlp(policy, encrypted, counts) : null,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /** Applies the sampling of another policy. The exporter stays as it is. */
  public void updatePolicy(TracesPolicy changed) {
    policy = changed;
  }

  @Override
  public RequestTrace start(@Nullable String parent, long startedNanos) {
    if (pipeline == null) {
      return RequestTrace.NONE;
    }
    TraceParent sender = parent == null ? null : TraceParent.parse(parent);
    return isSampled(sender) ? pipeline.begin(sender, startedNanos) : RequestTrace.NONE;
  }

  private boolean isSampled(@Nullable TraceParent sender) {
    TracesPolicy now = policy;
    if (sender != null && now.parentBasedSampling()) {
      return sender.sampled();
    }
    return random.getAsDouble() * 100 < now.samplePercent();
  }

  /** Exports the remaining spans, within the policy's export timeout. */
  @Override
  public void close() {
    if (pipeline != null) {
      pipeline.close();
    }
  }
}
