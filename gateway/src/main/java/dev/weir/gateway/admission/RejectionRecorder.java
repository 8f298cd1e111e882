package dev.weir.gateway.admission;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.admission.pace.PacingDecision;
import dev.weir.admission.queue.QueueRejection;
import dev.weir.core.actions.AdmissionRejections;
import dev.weir.core.actions.explain.RecentRejections;
import dev.weir.core.actions.explain.RecentRejections.RequestIdentity;
import dev.weir.core.actions.explain.Rejection;
import dev.weir.core.actions.explain.Rejection.Cause;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpExchange;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the reasons of rejections, from every stage of a request, for {@code /routing/explain}.
 * Assigns a number to a rejected request that has none. Safe on any thread.
 */
public record RejectionRecorder(RecentRejections recentRejections) {
  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** Records a rejection at the limit of requests in flight. Returns the request's number. */
  long recordInFlight(RequestHead head, String tenant, AdmissionDecision.Rejected rejection) {
    return recordAtHeaders(head, tenant, inFlightRejection(rejection));
  }

  /** Records a rejection at a rate limit. Returns the request's number. */
  long recordPacing(RequestHead head, String tenant, PacingDecision.Rejected rejection) {
    return recordAtHeaders(
        head, tenant, new Rejection(Cause.PACING, null, rejection::message, rejection::details));
  }

  private long recordAtHeaders(RequestHead head, String tenant, Rejection rejection) {
    return recordRejection(
        head.header(OPAQUE_ID),
        tenant,
        DisplayFormat.formatRequest(head.method(), head.uri()),
        rejection);
  }

  /** Records a rejection at the limit of requests in flight, after the body has arrived. */
  void recordInFlight(HttpExchange exchange, AdmissionDecision.Rejected rejection) {
    String opaqueId = null;
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(OPAQUE_ID) && opaqueId == null) {
        opaqueId = header.getValue();
      }
    }
    String requestLine = DisplayFormat.formatRequest(exchange.method(), exchange.uri());
    exchange.assignTaskId(
        recordRejection(opaqueId, exchange.tenant(), requestLine, inFlightRejection(rejection)));
  }

  private long recordRejection(
      @Nullable String opaqueId, String tenant, String requestLine, Rejection rejection) {
    long number = recentRejections.nextNumber();
    recentRejections.add(
        new RequestIdentity(number, opaqueId == null ? "" : opaqueId, tenant, requestLine),
        rejection);
    return number;
  }

  private static Rejection inFlightRejection(AdmissionDecision.Rejected rejection) {
    return new Rejection(
        Cause.IN_FLIGHT,
        null,
        rejection::message,
        () -> Map.of("in_flight", rejection.inFlight(), "limit", rejection.limit()));
  }

  /** Records a rejection while waiting for nodes. Returns the client's error. */
  public Exception recordQueue(RequestContext context, QueueRejection rejection) {
    if (!context.isInternal()) {
      recentRejections.add(RequestIdentity.of(context), Rejection.ofQueue(rejection));
    }
    return AdmissionRejections.forRejection(rejection);
  }

  /** Records a rejected part of a write. Returns the client's error. */
  public Exception recordLateWrite(
      RequestContext context, WriteFlowController.ReservationTimeout rejection) {
    recentRejections.add(
        RequestIdentity.of(context),
        new Rejection(
            Cause.QUEUE, rejection.nodeId(), rejection::message, () -> measurements(rejection)));
    return AdmissionRejections.withMessage(rejection.message());
  }

  private static Map<String, Object> measurements(
      WriteFlowController.ReservationTimeout rejection) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("reason_code", "write-bytes");
    measured.put("requested_bytes", rejection.bytes());
    measured.put("in_flight_bytes", rejection.inFlightBytes());
    measured.put("limit_bytes", rejection.limit());
    measured.put("waiting_shard_requests", rejection.waitingOperations());
    return measured;
  }

  /** Records a rejected allocation of memory. */
  public void recordMemory(RequestMemoryAccount account, MemoryRejection rejection) {
    if (account.taskId() == 0) {
      account.assignTaskId(recentRejections.nextNumber());
    }
    String tenant = account.tenant();
    recentRejections.add(
        new RequestIdentity(
            account.taskId(),
            account.opaqueId(),
            tenant == null ? RequestContext.DEFAULT_TENANT : tenant,
            account.requestSummary()),
        new Rejection(Cause.MEMORY, null, rejection::message, () -> measurements(rejection)));
  }

  private static Map<String, Object> measurements(MemoryRejection rejection) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("item", DisplayFormat.toKebabCase(rejection.category()));
    measured.put("requested_bytes", rejection.requestedBytes());
    measured.put("total_bytes", rejection.resultingBytes());
    measured.put("limit_bytes", rejection.limitBytes());
    measured.put("limit", rejection.limitDescription());
    measured.put("breakdown", rejection.bill());
    measured.put("largest_increases", rejection.growth());
    return measured;
  }
}
