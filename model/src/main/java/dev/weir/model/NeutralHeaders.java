package dev.weir.model;

import java.util.Set;

/**
 * Headers that say neither who sends a request nor what it asks for: they frame the message, or
 * have a value of their own in each request so that a tracer finds it again. Names in lower case.
 */
public final class NeutralHeaders {
  /** Their values do not distinguish two requests. */
  public static final Set<String> NAMES =
      Set.of(
          "accept-encoding",
          "baggage",
          "b3",
          "connection",
          "content-encoding",
          "content-length",
          "date",
          "expect",
          "grpc-trace-bin",
          "keep-alive",
          "request-id",
          "sentry-trace",
          "te",
          "traceparent",
          "tracestate",
          "transfer-encoding",
          "uber-trace-id",
          "user-agent",
          "x-amz-cf-id",
          "x-amzn-requestid",
          "x-amzn-trace-id",
          "x-b3-flags",
          "x-b3-parentspanid",
          "x-b3-sampled",
          "x-b3-spanid",
          "x-b3-traceid",
          "x-client-trace-id",
          "x-cloud-trace-context",
          "x-correlation-id",
          "x-datadog-origin",
          "x-datadog-parent-id",
          "x-datadog-sampling-priority",
          "x-datadog-tags",
          "x-datadog-trace-id",
          "x-envoy-attempt-count",
          "x-envoy-expected-rq-timeout-ms",
          "x-opaque-id",
          "x-ot-span-context",
          "x-request-id",
          "x-request-start");

  private NeutralHeaders() {}
}
