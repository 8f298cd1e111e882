package dev.weir.observe.trace;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpStatus;
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
 * The span of a request and the budget of its child spans. Names and attributes follow
 * OpenTelemetry's conventions for HTTP servers. Confined to the request's event loop.
 */
final class RequestSpan {
  /**
   * Bounds the child spans of one request: a search of a thousand shards would export a thousand.
   */
  static final int MAX_SPANS = 128;

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
  private static final AttributeKey<String> PATH = AttributeKey.stringKey("weir.path");
  private static final AttributeKey<String> ACTION = AttributeKey.stringKey("weir.action");
  private static final AttributeKey<String> REASON = AttributeKey.stringKey("weir.reason");
  private static final AttributeKey<Long> REQUEST_NUMBER = AttributeKey.longKey("weir.request_id");
  private static final AttributeKey<String> CLUSTER = AttributeKey.stringKey("weir.cluster");
  private static final AttributeKey<String> OPAQUE_ID = AttributeKey.stringKey("weir.opaque_id");
  private static final AttributeKey<Long> DROPPED_SPANS =
      AttributeKey.longKey("weir.dropped_spans");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private static final int CLIENT_CLOSED = 499;

  private final Tracer tracer;
  private final Span serverSpan;
  private final Context context;
  private final TraceClock instants;
  private final boolean encrypted;
  private int spanCount;
  private int droppedSpans;

  RequestSpan(Tracer tracer, Span server, TraceClock instants, boolean encrypted) {
    this.tracer = tracer;
    this.serverSpan = server;
    this.context = Context.root().with(server);
    this.instants = instants;
    this.encrypted = encrypted;
  }

  String traceId() {
    return serverSpan.getSpanContext().getTraceId();
  }

  String traceParent() {
    return traceParent(serverSpan);
  }

  /** The {@code traceparent} with a span's id. */
  static String traceParent(Span span) {
    SpanContext own = span.getSpanContext();
    return new TraceParent(own.getTraceId(), own.getSpanId(), own.isSampled()).toString();
  }

  /** The span as a parent of others. */
  Context context() {
    return context;
  }

  long nowEpochNanos() {
    return instants.nowEpochNanos();
  }

  /** Starts a child span; null beyond the bound. */
  @Nullable Span startSpan(String name, SpanKind kind, Context under, long epochNanos) {
    if (spanCount == MAX_SPANS) {
      droppedSpans++;
      return null;
    }
    spanCount++;
    return tracer
        .spanBuilder(name)
        .setSpanKind(kind)
        .setParent(under)
        .setStartTimestamp(epochNanos, NANOSECONDS)
        .startSpan();
  }

  void over(CompletedRequest log) {
    describe(log);
    if (log.status() == CLIENT_CLOSED) {
      serverSpan.setAttribute(ERROR, "client-disconnected");
    } else {
      serverSpan.setAttribute(STATUS, log.status());
      if (log.status() >= HttpStatus.INTERNAL_SERVER_ERROR) {
        serverSpan.setAttribute(ERROR, Integer.toString(log.status()));
        serverSpan.setStatus(StatusCode.ERROR);
      }
    }
    if (droppedSpans > 0) {
      serverSpan.setAttribute(DROPPED_SPANS, droppedSpans);
    }
    serverSpan.end(nowEpochNanos(), NANOSECONDS);
  }

  private void describe(CompletedRequest log) {
    boolean named = !log.action().equals("other");
    serverSpan.updateName(named ? log.method() + ' ' + log.action() : log.method());
    int query = log.uri().indexOf('?');
    serverSpan
        .setAttribute(METHOD, log.method())
        .setAttribute(URL_PATH, query < 0 ? log.uri() : log.uri().substring(0, query))
        .setAttribute(URL_SCHEME, encrypted ? "https" : "http")
        .setAttribute(VERSION, version(log.protocol()))
        .setAttribute(CLIENT, host(log.remoteAddress()))
        .setAttribute(REQUEST_SIZE, log.requestBytes())
        .setAttribute(RESPONSE_SIZE, log.responseBytes())
        .setAttribute(PATH, log.path())
        .setAttribute(ACTION, log.action());
    if (query >= 0) {
      serverSpan.setAttribute(URL_QUERY, log.uri().substring(query + 1));
    }
    if (!log.reason().isEmpty()) {
      serverSpan.setAttribute(REASON, log.reason());
    }
    if (!log.cluster().isEmpty()) {
      serverSpan.setAttribute(CLUSTER, log.cluster());
    }
    if (!log.opaqueId().isEmpty()) {
      serverSpan.setAttribute(OPAQUE_ID, log.opaqueId());
    }
    if (log.taskId() != 0) {
      serverSpan.setAttribute(REQUEST_NUMBER, log.taskId());
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
