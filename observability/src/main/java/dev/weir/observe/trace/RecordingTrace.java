package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.CompletedRequest;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestTrace;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * A recorded request, or a part of it. A phase's span is created at its first call and starts when
 * the phase started. Confined to the request's event loop.
 */
final class RecordingTrace implements RequestTrace {
  private final RequestSpan request;
  private String phase = "";
  private boolean exportEmptyPhase;
  private long phaseStart;
  private @Nullable Span phaseSpan;
  private @Nullable Context phaseContext;

  RecordingTrace(RequestSpan request) {
    this.request = request;
  }

  @Override
  public boolean isRecording() {
    return true;
  }

  @Override
  public String traceId() {
    return request.traceId();
  }

  @Override
  public String traceParent() {
    return request.traceParent();
  }

  @Override
  public RequestTrace newSubTrace() {
    return new RecordingTrace(request);
  }

  @Override
  public void startPhase(String name, boolean shown) {
    long now = request.nowEpochNanos();
    if (exportEmptyPhase) {
      parentContext();
    }
    if (phaseSpan != null) {
      phaseSpan.end(now, NANOSECONDS);
    }
    phase = name;
    exportEmptyPhase = shown;
    phaseStart = now;
    phaseSpan = null;
    phaseContext = null;
  }

  @Override
  public RequestTrace.CallSpan startCall(
      String action, @Nullable NodeCallType work, NodeEndpoint node) {
    Span span =
        request.startSpan(action, SpanKind.CLIENT, parentContext(), request.nowEpochNanos());
    return span == null
        ? RequestTrace.CallSpan.NONE
        : new NodeCallSpan(request, span, action, work, node);
  }

  @Override
  public RequestTrace.PassThroughSpan startPassThrough(String method) {
    Span span =
        request.startSpan(method, SpanKind.CLIENT, request.context(), request.nowEpochNanos());
    return span == null ? RequestTrace.PassThroughSpan.NONE : new ProxySpan(request, span, method);
  }

  @Override
  public void end(CompletedRequest log) {
    request.over(log);
  }

  /** The parent of a new span: the phase, or the request. */
  private Context parentContext() {
    if (phase.isEmpty()) {
      return request.context();
    }
    if (phaseContext == null) {
      phaseSpan = request.startSpan(phase, SpanKind.INTERNAL, request.context(), phaseStart);
      phaseContext = phaseSpan == null ? request.context() : request.context().with(phaseSpan);
    }
    return phaseContext;
  }
}
