package dev.weir.gateway.history;

import dev.weir.model.CompletedRequest;
import dev.weir.model.DisplayFormat;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A finished request that is kept for a while, without its trace. Immutable; what a client has sent
 * is shortened, so that it can't make the gateway keep much.
 */
record RecentRequest(CompletedRequest request) {
  /** The kept characters of a URI. */
  static final int MAX_URI = 512;

  /** The kept characters of a method, and of a protocol. */
  private static final int MAX_NAME = 16;

  /** The kept characters of an X-Opaque-Id, as in explanations. */
  static final int MAX_OPAQUE_ID = 128;

  static RecentRequest of(CompletedRequest log) {
    boolean isShort =
        log.method().length() <= MAX_NAME
            && log.protocol().length() <= MAX_NAME
            && log.uri().length() <= MAX_URI
            && log.opaqueId().length() <= MAX_OPAQUE_ID
            && log.traceParent().isEmpty();
    return isShort ? new RecentRequest(log) : shortened(log);
  }

  private static RecentRequest shortened(CompletedRequest log) {
    return new RecentRequest(
        new CompletedRequest(
            log.startedMillis(),
            log.remoteAddress(),
            DisplayFormat.truncate(log.method(), MAX_NAME),
            DisplayFormat.truncate(log.uri(), MAX_URI),
            DisplayFormat.truncate(log.protocol(), MAX_NAME),
            log.path(),
            log.action(),
            log.reason(),
            log.status(),
            log.requestBytes(),
            log.responseBytes(),
            log.durationNanos(),
            DisplayFormat.truncate(log.opaqueId(), MAX_OPAQUE_ID),
            log.taskId(),
            log.cluster(),
            log.tenant(),
            ""));
  }

  long durationNanos() {
    return request.durationNanos();
  }

  /** When it ended, milliseconds since the epoch. */
  long endMillis() {
    return request.startedMillis() + request.durationNanos() / 1_000_000;
  }

  /**
   * Describes it for JSON.
   *
   * @param isExplained whether its choices or its rejection are recorded
   */
  Map<String, Object> toMap(boolean isExplained) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("ended_at", Instant.ofEpochMilli(endMillis()).toString());
    row.put("request_id", request.taskId() == 0 ? "" : Long.toString(request.taskId()));
    row.put("opaque_id", request.opaqueId());
    row.put("tenant", request.tenant());
    row.put("client", request.remoteAddress());
    row.put("request_line", request.method() + ' ' + request.uri());
    row.put("cluster", request.cluster());
    row.put("path", request.path());
    row.put("action", request.action());
    row.put("pass_through_reason", request.reason());
    row.put("status", request.status());
    row.put("took_ms", Math.round(request.durationNanos() / 1e3) / 1e3);
    row.put("request_bytes", request.requestBytes());
    row.put("response_bytes", request.responseBytes());
    row.put("explanation", isExplained ? "routing/explain?request=" + request.taskId() : "");
    return row;
  }
}
