package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestLog;
import dev.weir.model.Trace;
import dev.weir.model.Work;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * A request that is recorded, or a part of it. A phase's span begins with its first call, as of
 * when the phase began. Confined to the request's home.
 */
final class RecordedTrace implements Trace {
  private final RecordedRequest request;
  private String phase = "";
  private boolean always;
  private long phaseStart;
  private @Nullable Span phaseSpan;
  private @Nullable Context phaseContext;

  RecordedTrace(RecordedRequest request) {
    this.request = request;
  }

  @Override
  public boolean recorded() {
    return true;
  }

  @Override
  public String traceId() {
    return request.traceId();
  }

  @Override
  public String parent() {
    return request.parent();
  }

  @Override
  public Trace part() {
    return new RecordedTrace(request);
  }

  @Override
  public void phase(String name, boolean shown) {
    long now = request.now();
    if (always) {
      under();
    }
    if (phaseSpan != null) {
      phaseSpan.end(now, NANOSECONDS);
    }
    phase = name;
    always = shown;
    phaseStart = now;
    phaseSpan = null;
    phaseContext = null;
  }

  @Override
  public Trace.Call call(String action, Work work, NodeEndpoint node) {
    Span span = request.begin(action, SpanKind.CLIENT, under(), request.now());
    return span == null ? Trace.Call.NONE : new RecordedCall(request, span, action, work, node);
  }

  @Override
  public Trace.Hop hop(String method) {
    Span span = request.begin(method, SpanKind.CLIENT, request.context(), request.now());
    return span == null ? Trace.Hop.NONE : new RecordedHop(request, span, method);
  }

  @Override
  public void over(RequestLog log) {
    request.over(log);
  }

  /** What a span that begins now is under: the phase, or the request. */
  private Context under() {
    if (phase.isEmpty()) {
      return request.context();
    }
    if (phaseContext == null) {
      phaseSpan = request.begin(phase, SpanKind.INTERNAL, request.context(), phaseStart);
      phaseContext = phaseSpan == null ? request.context() : request.context().with(phaseSpan);
    }
    return phaseContext;
  }
}
