package dev.weir.gateway;

import dev.weir.config.policy.ObservabilityPolicy;
import dev.weir.model.CompletedRequest;
import dev.weir.observe.AccessLogWriter;
import dev.weir.observe.RequestMetrics;
import java.util.function.Consumer;

/** Connects what records each finished request. */
final class RequestLog {
  private RequestLog() {}

  /** Returns what is called once for each finished request, on its event loop. */
  static Consumer<CompletedRequest> create(
      ObservabilityPolicy observability, RequestMetrics metrics, SharedServices shared) {
    Consumer<CompletedRequest> always =
        metrics.andThen(shared.longRequests().turns()).andThen(shared.features().history());
    if (!observability.accessLogEnabled()) {
      return always;
    }
    boolean json = observability.logFormat() == ObservabilityPolicy.LogFormat.JSON;
    return always.andThen(new AccessLogWriter(json));
  }
}
