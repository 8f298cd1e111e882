package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.NodeEndpoint;
import dev.weir.model.Trace;
import dev.weir.model.Work;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;

/**
 * A call to a node as a span, described as OpenTelemetry's conventions for clients of databases
 * say. Confined to the request's home.
 */
final class RecordedCall implements Trace.Call {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
  private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("db.operation.name");
  static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<String> NODE_ID = AttributeKey.stringKey("weir.node.id");
  private static final AttributeKey<String> NODE_NAME = AttributeKey.stringKey("weir.node.name");
  private static final AttributeKey<String> WORK = AttributeKey.stringKey("weir.work");

  private final RecordedRequest request;
  private final Span span;

  RecordedCall(RecordedRequest request, Span span, String action, Work work, NodeEndpoint node) {
    this.request = request;
    this.span = span;
    span.setAttribute(SYSTEM, "opensearch")
        .setAttribute(OPERATION, action)
        .setAttribute(ADDRESS, node.transport().getHostString())
        .setAttribute(PORT, node.transport().getPort())
        .setAttribute(NODE_ID, node.id())
        .setAttribute(NODE_NAME, node.name())
        .setAttribute(WORK, work.label());
  }

  @Override
  public void answered() {
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
