package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestTrace;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;

/**
 * The span of one call to a node. Attributes follow OpenTelemetry's conventions for database
 * clients. Confined to the request's event loop.
 */
final class NodeCallSpan implements RequestTrace.CallSpan {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
  private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("db.operation.name");
  static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<String> NODE_ID = AttributeKey.stringKey("weir.node.id");
  private static final AttributeKey<String> NODE_NAME = AttributeKey.stringKey("weir.node.name");
  private static final AttributeKey<String> WORK = AttributeKey.stringKey("weir.work");

  private final RequestSpan request;
  private final Span span;

  NodeCallSpan(
      RequestSpan request,
      Span span,
      String action,
      @Nullable NodeCallType work,
      NodeEndpoint node) {
    this.request = request;
    this.span = span;
    span.setAttribute(SYSTEM, "opensearch")
        .setAttribute(OPERATION, action)
        .setAttribute(ADDRESS, node.transport().getHostString())
        .setAttribute(PORT, node.transport().getPort())
        .setAttribute(NODE_ID, node.id())
        .setAttribute(NODE_NAME, node.name());
    if (work != null) {
      span.setAttribute(WORK, work.label());
    }
  }

  @Override
  public void onResponse() {
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
