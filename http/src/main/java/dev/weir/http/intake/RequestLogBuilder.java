package dev.weir.http.intake;

import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.model.CompletedRequest;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestTrace;
import dev.weir.model.RequestTracer;
import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/** Collects the figures of one request for its log record. Confined to its event loop. */
public final class RequestLogBuilder {
  private static final int MIN_REJECTION_STATUS = 400;

  private final long startedMillis;
  private final long startedNanos;
  private String path = "local";
  private String action = "other";
  private String reason = "";
  private int status;
  private long requestBytes;
  private long responseBytes;
  private long id;
  private String cluster = "";
  private String tenant = RequestContext.DEFAULT_TENANT;
  private RequestTrace trace = RequestTrace.NONE;

  public RequestLogBuilder(long startedMillis, long startedNanos) {
    this.startedMillis = startedMillis;
    this.startedNanos = startedNanos;
  }

  /** Returns when the request's first byte arrived, by the server's clock. */
  public long startedNanos() {
    return startedNanos;
  }

  /** Starts the request's trace; {@code traces} decides whether it records. */
  public void start(HttpRequest request, RequestTracer traces) {
    trace = HttpHeaderRules.startTrace(request, traces, startedNanos);
  }

  /** Returns the request's trace. */
  public RequestTrace trace() {
    return trace;
  }

  /** Sets how the request would have been served, although the gateway rejects it. */
  public void intendedRoute(RequestRouter.Decision way) {
    switch (way) {
      case RequestRouter.Coordinate(String what, _) -> setCoordinated(what);
      case RequestRouter.RespondLocally(String what) -> setLocal(what);
      case RequestRouter.PassThrough through -> setAction(through.delegatedAction());
    }
  }

  void setCoordinated(String what) {
    path = "coordinated";
    action = what;
    reason = "";
  }

  void setLocal(String what) {
    action = what;
  }

  public void setPassedThrough(RequestRouter.PassThrough decision) {
    path = "passthrough";
    reason = decision.reason();
    setAction(decision.delegatedAction());
  }

  /** A request that passes through has an action only if the gateway could coordinate it. */
  private void setAction(@Nullable String delegated) {
    if (delegated != null) {
      action = delegated;
    }
  }

  /** Marks a response that the gateway gave in place of the handler. */
  public void setRejected() {
    if (reason.isEmpty()) {
      path = "local";
    }
  }

  public void setId(long number) {
    id = number;
  }

  /** Returns the gateway's id of the request; 0 for none. */
  public long id() {
    return id;
  }

  void setTenant(String name) {
    tenant = name;
  }

  void setCluster(String name) {
    cluster = name;
  }

  public void status(int code) {
    status = code;
  }

  int status() {
    return status;
  }

  /** Returns whether the status says that the request was not carried out. */
  public boolean isRejection() {
    return status >= MIN_REJECTION_STATUS;
  }

  public void addRequestBytes(int bytes) {
    requestBytes += bytes;
  }

  public void addResponseBytes(int bytes) {
    responseBytes += bytes;
  }

  long responseBytes() {
    return responseBytes;
  }

  /** Builds the record of a request that has ended, and ends its trace. */
  public CompletedRequest build(ExchangeChannel channel) {
    CompletedRequest log = newRecord(channel.request(), channel);
    trace.end(log);
    return log;
  }

  private CompletedRequest newRecord(HttpRequest request, ExchangeChannel channel) {
    return new CompletedRequest(
        startedMillis,
        channel.connection().remoteText(),
        request.method().name(),
        request.uri(),
        channel.protocolName(),
        path,
        action,
        reason,
        status,
        requestBytes,
        responseBytes,
        channel.connection().nanoTime() - startedNanos,
        HttpHeaderRules.opaqueId(request),
        id,
        cluster,
        tenant,
        trace.isRecording() ? trace.traceParent() : HttpHeaderRules.traceParent(request));
  }
}
