package dev.weir.observe.trace;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.Trace;
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
 * Where spans are made, and their way to a collector: they wait in a bounded queue, and a thread of
 * OpenTelemetry's sends them in batches. Safe on any thread.
 */
final class SpanPipe implements AutoCloseable {
  private static final Duration BATCH_EVERY = Duration.ofSeconds(1);
  private static final int BATCH = 512;
  private static final int LONGEST_VALUE = 2048;

  private final SdkTracerProvider provider;
  private final Tracer tracer;
  private final Duration patience;
  private final boolean encrypted;

  SpanPipe(TracesPolicy policy, boolean encrypted, SpanProcessor processor) {
    this.encrypted = encrypted;
    this.patience = policy.timeout();
    this.provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.alwaysOn())
            .setResource(resource(policy.serviceName()))
            .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(LONGEST_VALUE).build())
            .addSpanProcessor(processor)
            .build();
    this.tracer = provider.get("dev.weir");
  }

  /** A pipe to the collector that the policy names. */
  static SpanPipe toCollector(TracesPolicy policy, boolean encrypted, SpanCounts counts) {
    LibraryWords.hear();
    SpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(policy.endpoint())
            .setHeaders(policy::headers)
            .setTimeout(policy.timeout())
            .setConnectTimeout(policy.timeout())
            .setMeterProvider(MeterProvider.noop())
            .build();
    return to(exporter, policy, encrypted, counts);
  }

  /** A pipe to an exporter. */
  static SpanPipe to(
      SpanExporter exporter, TracesPolicy policy, boolean encrypted, SpanCounts counts) {
    BatchSpanProcessor batches =
        BatchSpanProcessor.builder(new CountedExporter(exporter, counts, System::nanoTime))
            .setMaxQueueSize(policy.maxWaiting())
            .setMaxExportBatchSize(Math.min(BATCH, policy.maxWaiting()))
            .setScheduleDelay(BATCH_EVERY)
            .setExporterTimeout(policy.timeout())
            .setMeterProvider(MeterProvider.noop())
            .build();
    return new SpanPipe(policy, encrypted, new BoundedSpans(batches, counts));
  }

  private static Resource resource(String service) {
    String version = SpanPipe.class.getPackage().getImplementationVersion();
    Attributes own =
        Attributes.builder()
            .put("service.name", service)
            .put("service.version", version == null ? "" : version)
            .put("service.instance.id", UUID.randomUUID().toString())
            .build();
    return Resource.getDefault().merge(Resource.create(own));
  }

  /**
   * A request that is recorded begins.
   *
   * @param sender what its client said of its own span; null when it said nothing
   */
  Trace begin(@Nullable TraceParent sender, long startedNanos) {
    Instants instants = Instants.now();
    Span server =
        tracer
            .spanBuilder("request")
            .setSpanKind(SpanKind.SERVER)
            .setParent(sender == null ? Context.root() : Context.root().with(remote(sender)))
            .setStartTimestamp(instants.at(startedNanos), TimeUnit.NANOSECONDS)
            .startSpan();
    return new RecordedTrace(new RecordedRequest(tracer, server, instants, encrypted));
  }

  private static Span remote(TraceParent sender) {
    return Span.wrap(
        SpanContext.createFromRemoteParent(
            sender.traceId(),
            sender.spanId(),
            sender.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault(),
            TraceState.getDefault()));
  }

  @Override
  public void close() {
    provider.shutdown().join(patience.toMillis(), TimeUnit.MILLISECONDS);
  }
}
