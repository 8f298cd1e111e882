package dev.weir.observe.trace;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.RequestTrace;
import dev.weir.model.TraceParent;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans and exports them: they wait in a bounded queue, and a thread of OpenTelemetry
 * exports them in batches. Safe on any thread.
 */
final class SpanPipeline implements AutoCloseable {
  private static final Duration BATCH_INTERVAL = Duration.ofSeconds(1);
  private static final int BATCH_SIZE = 512;
  private static final int MAX_ATTRIBUTE_LENGTH = 2048;

  private final SdkTracerProvider provider;
  private final Tracer tracer;
  private final Duration closeTimeout;
  private final boolean encrypted;

  SpanPipeline(TracesPolicy policy, boolean encrypted, SpanProcessor processor) {
    this.encrypted = encrypted;
    this.closeTimeout = policy.exportTimeout();
    this.provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.alwaysOn())
            .setResource(resource(policy.serviceName()))
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(MAX_ATTRIBUTE_LENGTH).build())
            .addSpanProcessor(processor)
            .build();
    this.tracer = provider.get("dev.weir");
  }

  /** A pipeline to the collector of the policy. */
  static SpanPipeline createOtlp(TracesPolicy policy, boolean encrypted, SpanCounters counts) {
    OpenTelemetryLogHandler.install();
    SpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(policy.endpoint())
            .setHeaders(policy::headers)
            .setTimeout(policy.exportTimeout())
            .setConnectTimeout(policy.exportTimeout())
            .setMeterProvider(MeterProvider.noop())
            .build();
    return create(exporter, policy, encrypted, counts);
  }

  /** A pipeline to an exporter. */
  static SpanPipeline create(
      SpanExporter exporter, TracesPolicy policy, boolean encrypted, SpanCounters counts) {
    BatchSpanProcessor batches =
        BatchSpanProcessor.builder(new CountingSpanExporter(exporter, counts, System::nanoTime))
            .setMaxQueueSize(policy.maxQueuedSpans())
            .setMaxExportBatchSize(Math.min(BATCH_SIZE, policy.maxQueuedSpans()))
            .setScheduleDelay(BATCH_INTERVAL)
            .setExporterTimeout(policy.exportTimeout())
            .setMeterProvider(MeterProvider.noop())
            .build();
    return new SpanPipeline(policy, encrypted, new BoundedSpanProcessor(batches, counts));
  }

  private static Resource resource(String service) {
    String version = SpanPipeline.class.getPackage().getImplementationVersion();
    Attributes own =
        Attributes.builder()
            .put("service.name", service)
            .put("service.version", version == null ? "" : version)
            .put("service.instance.id", UUID.randomUUID().toString())
            .build();
    return Resource.getDefault().merge(Resource.create(own));
  }

  /**
   * Starts the span of a recorded request.
   *
   * @param sender the client's span; null without a {@code traceparent}
   */
  RequestTrace begin(@Nullable TraceParent sender, long startedNanos) {
    TraceClock instants = TraceClock.now();
    Span server =
        tracer
            .spanBuilder("request")
            .setSpanKind(SpanKind.SERVER)
            .setParent(sender == null ? Context.root() : Context.root().with(remoteParent(sender)))
            .setStartTimestamp(instants.toEpochNanos(startedNanos), TimeUnit.NANOSECONDS)
            .startSpan();
    return new RecordingTrace(new RequestSpan(tracer, server, instants, encrypted));
  }

  private static Span remoteParent(TraceParent sender) {
    return Span.wrap(
        SpanContext.createFromRemoteParent(
            sender.traceId(),
            sender.spanId(),
            sender.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault(),
            TraceState.getDefault()));
  }

  @Override
  public void close() {
    provider.shutdown().join(closeTimeout.toMillis(), TimeUnit.MILLISECONDS);
  }
}
