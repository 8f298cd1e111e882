package dev.weir.http;

import dev.weir.model.RequestLog;
import dev.weir.model.RequestRouter;
import dev.weir.model.Trace;
import dev.weir.model.Traces;
import io.netty.handler.codec.http.HttpRequest;

/** What is counted of one request, until its record is made. Confined to its event loop. */
final class Tally {
  private static final int REFUSED = 400;

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
  private Trace trace = Trace.NONE;

  Tally(long startedMillis, long startedNanos) {
    this.startedMillis = startedMillis;
    this.startedNanos = startedNanos;
  }

  /** When the request's first byte came, by the desk's clock. */
  long startedNanos() {
    return startedNanos;
  }

  /** Has it recorded, if it is to be. */
  void begin(HttpRequest request, Traces traces) {
    trace = RequestHeads.traced(request, traces, startedNanos);
  }

  /** What it leaves in a trace. */
  Trace trace() {
    return trace;
  }

  /** It goes no way, but would have gone this one. */
  void wouldGo(RequestRouter.Way way) {
    switch (way) {
      case RequestRouter.Coordinate(String what, _) -> coordinated(what);
      case RequestRouter.Local(String what) -> local(what);
      case RequestRouter.PassThrough _ -> {
        // it has no name
      }
    }
  }

  void coordinated(String what) {
    path = "coordinated";
    action = what;
    reason = "";
  }

  void local(String what) {
    action = what;
  }

  void passedThrough(String why) {
    path = "passthrough";
    reason = why;
  }

  /** The gateway answers by itself instead of the handler. */
  void refused() {
    if (reason.isEmpty()) {
      path = "local";
    }
  }

  void numbered(long number) {
    id = number;
  }

  /** The gateway's number for it; 0 for none. */
  long id() {
    return id;
  }

  void wentTo(Destination there) {
    cluster = there.clusterName();
  }

  void status(int code) {
    status = code;
  }

  int status() {
    return status;
  }

  /** Whether the status says that the request was not carried out. */
  boolean isRefusal() {
    return status >= REFUSED;
  }

  void received(int bytes) {
    requestBytes += bytes;
  }

  void sent(int bytes) {
    responseBytes += bytes;
  }

  long responseBytes() {
    return responseBytes;
  }

  /** The record of a request that is over now, which ends its trace too. */
  RequestLog total(Exchange exchange, ClientConnection connection) {
    RequestLog log = record(exchange, connection);
    trace.over(log);
    return log;
  }

  private RequestLog record(Exchange exchange, ClientConnection connection) {
    return new RequestLog(
        startedMillis,
        connection.remote(),
        exchange.request().method().name(),
        exchange.request().uri(),
        exchange.protocol(),
        path,
        action,
        reason,
        status,
        requestBytes,
        responseBytes,
        connection.now() - startedNanos,
        RequestHeads.opaqueId(exchange.request()),
        id,
        cluster,
        trace.recorded() ? trace.parent() : RequestHeads.traceParent(exchange.request()));
  }
}
