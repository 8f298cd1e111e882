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
import dev.weir.core.coordinate.WriteFlowController;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpExchange;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps why clients' requests are refused, wherever they are, for who asks later; gives a number to
 * those that had none by then. Safe on any thread.
 */
public record RejectionRecorder(RecentRejections recentRefusals) {
  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** At the gate. Returns the request's number. */
  long recordInFlight(RequestHead head, String tenant, AdmissionDecision.Rejected why) {
    return recordAtHeaders(head, tenant, recordInFlight(why));
  }

  /** At the gate. Returns the request's number. */
  long recordPacing(RequestHead head, String tenant, PacingDecision.Rejected why) {
    return recordAtHeaders(
        head, tenant, new Rejection(Cause.PACING, null, why::message, why::details));
  }

  private long recordAtHeaders(RequestHead head, String tenant, Rejection why) {
    return recordRejection(
        head.header(OPAQUE_ID),
        tenant,
        DisplayFormat.formatRequest(head.method(), head.uri()),
        why);
  }

  /** When its body had come. */
  void recordInFlight(HttpExchange exchange, AdmissionDecision.Rejected why) {
    String opaqueId = null;
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(OPAQUE_ID) && opaqueId == null) {
        opaqueId = header.getValue();
      }
    }
    String asked = DisplayFormat.formatRequest(exchange.method(), exchange.uri());
    exchange.assignTaskId(recordRejection(opaqueId, exchange.tenant(), asked, recordInFlight(why)));
  }

  private long recordRejection(
      @Nullable String opaqueId, String tenant, String asked, Rejection why) {
    long number = recentRefusals.nextNumber();
    recentRefusals.add(
        new RequestIdentity(number, opaqueId == null ? "" : opaqueId, tenant, asked), why);
    return number;
  }

  private static Rejection recordInFlight(AdmissionDecision.Rejected why) {
    return new Rejection(
        Cause.IN_FLIGHT,
        null,
        why::message,
        () -> Map.of("in_flight", why.inFlight(), "limit", why.limit()));
  }

  /** Records a rejection while waiting for nodes. Returns the message for the client. */
  public Exception recordQueue(RequestContext context, QueueRejection why) {
    if (!context.isInternal()) {
      recentRefusals.add(RequestIdentity.of(context), Rejection.ofQueue(why));
    }
    return AdmissionRejections.forRejection(why);
  }

  /** Records a rejected part of a write. Returns the message for the client. */
  public Exception recordLateWrite(WriteFlowController.ReservationTimeout why) {
    recentRefusals.add(
        RequestIdentity.of(why.context()),
        new Rejection(Cause.QUEUE, why.nodeId(), why::message, () -> measurements(why)));
    return AdmissionRejections.withMessage(why.message());
  }

  private static Map<String, Object> measurements(WriteFlowController.ReservationTimeout why) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("reason_code", "write-bytes");
    measured.put("requested_bytes", why.bytes());
    measured.put("in_flight_bytes", why.inFlightBytes());
    measured.put("limit_bytes", why.limit());
    measured.put("waiting_shard_requests", why.waitingOperations());
    return measured;
  }

  /** It, or a part of it, got no memory. */
  public void recordMemory(RequestMemoryAccount whose, MemoryRejection why) {
    if (whose.taskId() == 0) {
      whose.assignTaskId(recentRefusals.nextNumber());
    }
    String tenant = whose.tenant();
    recentRefusals.add(
        new RequestIdentity(
            whose.taskId(),
            whose.opaqueId(),
            tenant == null ? RequestContext.DEFAULT_TENANT : tenant,
            whose.requestSummary()),
        new Rejection(Cause.MEMORY, null, why::message, () -> measurements(why)));
  }

  private static Map<String, Object> measurements(MemoryRejection why) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("item", DisplayFormat.toKebabCase(why.category()));
    measured.put("requested_bytes", why.requestedBytes());
    measured.put("total_bytes", why.resultingBytes());
    measured.put("limit_bytes", why.limitBytes());
    measured.put("limit", why.limitDescription());
    measured.put("breakdown", why.bill());
    measured.put("largest_increases", why.growth());
    return measured;
  }
}
