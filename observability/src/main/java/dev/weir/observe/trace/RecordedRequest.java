package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.RequestLog;
import dev.weir.model.TraceParent;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request's own span, and how many more there may be under it. Named and described as
 * OpenTelemetry's conventions for HTTP servers say. Confined to the request's home.
 */
final class RecordedRequest {
  /** A search of a thousand shards is no reason to send a thousand spans. */
  static final int MOST_SPANS = 128;

  static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<Long> REQUEST_SIZE =
      AttributeKey.longKey("http.request.body.size");
  private static final AttributeKey<Long> RESPONSE_SIZE =
      AttributeKey.longKey("http.response.body.size");
  private static final AttributeKey<String> URL_PATH = AttributeKey.stringKey("url.path");
  private static final AttributeKey<String> URL_QUERY = AttributeKey.stringKey("url.query");
  private static final AttributeKey<String> URL_SCHEME = AttributeKey.stringKey("url.scheme");
  private static final AttributeKey<String> VERSION =
      AttributeKey.stringKey("network.protocol.version");
  private static final AttributeKey<String> CLIENT = AttributeKey.stringKey("client.address");
  private static final AttributeKey<String> WAY = AttributeKey.stringKey("weir.path");
  private static final AttributeKey<String> ACTION = AttributeKey.stringKey("weir.action");
  private static final AttributeKey<String> REASON = AttributeKey.stringKey("weir.reason");
  private static final AttributeKey<Long> NUMBER = AttributeKey.longKey("weir.request_id");
  private static final AttributeKey<String> CLUSTER = AttributeKey.stringKey("weir.cluster");
  private static final AttributeKey<String> OPAQUE = AttributeKey.stringKey("weir.opaque_id");
  private static final AttributeKey<Long> LEFT_OUT = AttributeKey.longKey("weir.spans_left_out");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private static final int GONE = 499;
  private static final int SERVER_ERROR = 500;

  private final Tracer tracer;
  private final Span server;
  private final Context context;
  private final Instants instants;
  private final boolean encrypted;
  private int spans;
  private int leftOut;

  RecordedRequest(Tracer tracer, Span server, Instants instants, boolean encrypted) {
    this.tracer = tracer;
    this.server = server;
    this.context = Context.root().with(server);
    this.instants = instants;
    this.encrypted = encrypted;
  }

  String traceId() {
    return server.getSpanContext().getTraceId();
  }

  String parent() {
    return parent(server);
  }

  /** The {@code traceparent} that names a span. */
  static String parent(Span span) {
    SpanContext own = span.getSpanContext();
    return new TraceParent(own.getTraceId(), own.getSpanId(), own.isSampled()).toString();
  }

  /** Its own span, for others to be under. */
  Context context() {
    return context;
  }

  long now() {
    return instants.current();
  }

  /** Begins a span; null when there are enough of them. */
  @Nullable Span begin(String name, SpanKind kind, Context under, long epochNanos) {
    if (spans == MOST_SPANS) {
      leftOut++;
      return null;
    }
    spans++;
    return tracer
        .spanBuilder(name)
        .setSpanKind(kind)
        .setParent(under)
        .setStartTimestamp(epochNanos, NANOSECONDS)
        .startSpan();
  }

  void over(RequestLog log) {
    describe(log);
    if (log.status() == GONE) {
      server.setAttribute(ERROR, "client-gone");
    } else {
      server.setAttribute(STATUS, log.status());
      if (log.status() >= SERVER_ERROR) {
        server.setAttribute(ERROR, Integer.toString(log.status()));
        server.setStatus(StatusCode.ERROR);
      }
    }
    if (leftOut > 0) {
      server.setAttribute(LEFT_OUT, leftOut);
    }
    server.end(now(), NANOSECONDS);
  }

  private void describe(RequestLog log) {
    boolean named = !log.action().equals("other");
    server.updateName(named ? log.method() + ' ' + log.action() : log.method());
    int query = log.uri().indexOf('?');
    server
        .setAttribute(METHOD, log.method())
        .setAttribute(URL_PATH, query < 0 ? log.uri() : log.uri().substring(0, query))
        .setAttribute(URL_SCHEME, encrypted ? "https" : "http")
        .setAttribute(VERSION, version(log.protocol()))
        .setAttribute(CLIENT, host(log.remote()))
        .setAttribute(REQUEST_SIZE, log.requestBytes())
        .setAttribute(RESPONSE_SIZE, log.responseBytes())
        .setAttribute(WAY, log.path())
        .setAttribute(ACTION, log.action());
    if (query >= 0) {
      server.setAttribute(URL_QUERY, log.uri().substring(query + 1));
    }
    if (!log.reason().isEmpty()) {
      server.setAttribute(REASON, log.reason());
    }
    if (!log.cluster().isEmpty()) {
      server.setAttribute(CLUSTER, log.cluster());
    }
    if (!log.opaqueId().isEmpty()) {
      server.setAttribute(OPAQUE, log.opaqueId());
    }
    if (log.id() != 0) {
      server.setAttribute(NUMBER, log.id());
    }
  }

  private static String version(String protocol) {
    String version = protocol.toUpperCase(Locale.ROOT).replace("HTTP/", "");
    return version.equals("2.0") ? "2" : version;
  }

  private static String host(String remote) {
    int port = remote.lastIndexOf(':');
    return port < 0 ? remote : remote.substring(0, port);
  }
}
