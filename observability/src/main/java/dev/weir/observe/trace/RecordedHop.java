package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.Trace;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.net.InetSocketAddress;

/**
 * A request's way through to a node as a span, described as OpenTelemetry's conventions for HTTP
 * clients say. Confined to the request's home.
 */
final class RecordedHop implements Trace.Hop {
  private static final AttributeKey<Long> RESENDS =
      AttributeKey.longKey("http.request.resend_count");
  private static final int FIRST_ERROR = 400;

  private final RecordedRequest request;
  private final Span span;
  private int sent;

  RecordedHop(RecordedRequest request, Span span, String method) {
    this.request = request;
    this.span = span;
    span.setAttribute(RecordedRequest.METHOD, method);
  }

  @Override
  public String parent() {
    return RecordedRequest.parent(span);
  }

  @Override
  public void to(InetSocketAddress node) {
    span.setAttribute(RecordedCall.ADDRESS, node.getHostString())
        .setAttribute(RecordedCall.PORT, node.getPort());
    if (sent++ > 0) {
      span.setAttribute(RESENDS, sent - 1);
    }
  }

  @Override
  public void answered(int status) {
    span.setAttribute(RecordedRequest.STATUS, status);
    if (status >= FIRST_ERROR) {
      span.setAttribute(RecordedRequest.ERROR, Integer.toString(status))
          .setStatus(StatusCode.ERROR);
    }
    end();
  }

  @Override
  public void failed(String kind, String why) {
    span.setAttribute(RecordedRequest.ERROR, kind).setStatus(StatusCode.ERROR, why);
    end();
  }

  @Override
  public void forgotten() {
    span.setAttribute(RecordedRequest.ERROR, "forgotten");
    end();
  }

  private void end() {
    span.end(request.now(), NANOSECONDS);
  }
}
