package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.RequestTrace;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.net.InetSocketAddress;

/**
 * The span of a request that passes through to a node. Attributes follow OpenTelemetry's
 * conventions for HTTP clients. Confined to the request's event loop.
 */
final class ProxySpan implements RequestTrace.PassThroughSpan {
  private static final AttributeKey<Long> RESENDS =
      AttributeKey.longKey("http.request.resend_count");
  private static final int FIRST_ERROR = 400;

  private final RequestSpan request;
  private final Span span;
  private int attempts;

  ProxySpan(RequestSpan request, Span span, String method) {
    this.request = request;
    this.span = span;
    span.setAttribute(RequestSpan.METHOD, method);
  }

  @Override
  public String traceParent() {
    return RequestSpan.traceParent(span);
  }

  @Override
  public void onNodeSelected(InetSocketAddress node) {
    span.setAttribute(NodeCallSpan.ADDRESS, node.getHostString())
        .setAttribute(NodeCallSpan.PORT, node.getPort());
    if (attempts++ > 0) {
      span.setAttribute(RESENDS, attempts - 1);
    }
  }

  @Override
  public void onResponse(int status) {
    span.setAttribute(RequestSpan.STATUS, status);
    if (status >= FIRST_ERROR) {
      span.setAttribute(RequestSpan.ERROR, Integer.toString(status)).setStatus(StatusCode.ERROR);
    }
    end();
  }

  @Override
  public void onFailure(String kind, String reason) {
    span.setAttribute(RequestSpan.ERROR, kind).setStatus(StatusCode.ERROR, reason);
    end();
  }

  @Override
  public void onAbandoned() {
    span.setAttribute(RequestSpan.ERROR, "forgotten");
    end();
  }

  private void end() {
    span.end(request.nowEpochNanos(), NANOSECONDS);
  }
}
