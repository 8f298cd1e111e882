package dev.weir.gateway;

import dev.weir.admission.Admission;
import dev.weir.admission.memory.RequestLedger;
import dev.weir.admission.pace.Pace;
import dev.weir.admission.queue.QueueRefusal;
import dev.weir.core.actions.QueueRefusals;
import dev.weir.core.actions.explain.RecentRefusals;
import dev.weir.core.actions.explain.RecentRefusals.Who;
import dev.weir.core.actions.explain.Refusal;
import dev.weir.core.actions.explain.Refusal.By;
import dev.weir.core.coordinate.WriteFlow;
import dev.weir.model.HttpExchange;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.Shown;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps why clients' requests are refused, wherever they are, for who asks later; gives a number to
 * those that had none by then. Safe on any thread.
 */
record KeptRefusals(RecentRefusals recent) {
  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** At the gate. Returns the request's number. */
  long inFlight(RequestHead head, String tenant, Admission.Refused why) {
    return atGate(head, tenant, inFlight(why));
  }

  /** At the gate. Returns the request's number. */
  long pacing(RequestHead head, String tenant, Pace.Refused why) {
    return atGate(head, tenant, new Refusal(By.PACING, null, why::message, why::details));
  }

  private long atGate(RequestHead head, String tenant, Refusal why) {
    return add(head.header(OPAQUE_ID), tenant, Shown.request(head.method(), head.uri()), why);
  }

  /** When its body had come. */
  void inFlight(HttpExchange exchange, Admission.Refused why) {
    String opaqueId = null;
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(OPAQUE_ID) && opaqueId == null) {
        opaqueId = header.getValue();
      }
    }
    String asked = Shown.request(exchange.method(), exchange.uri());
    exchange.numbered(add(opaqueId, exchange.tenant(), asked, inFlight(why)));
  }

  private long add(@Nullable String opaqueId, String tenant, String asked, Refusal why) {
    long number = recent.number();
    recent.add(new Who(number, opaqueId == null ? "" : opaqueId, tenant, asked), why);
    return number;
  }

  private static Refusal inFlight(Admission.Refused why) {
    return new Refusal(
        By.IN_FLIGHT,
        null,
        why::message,
        () -> Map.of("in_flight", why.measured(), "limit", why.limit()));
  }

  /** Where it waits for nodes. Returns what its client is told. */
  Exception queue(RequestContext context, QueueRefusal why) {
    if (!context.inner()) {
      recent.add(Who.of(context), Refusal.queue(why));
    }
    return QueueRefusals.of(why);
  }

  /** A piece of a write that waited for its node. Returns what its client is told. */
  Exception late(WriteFlow.Late why) {
    recent.add(
        Who.of(why.context()),
        new Refusal(By.QUEUE, why.nodeId(), why::message, () -> measured(why)));
    return QueueRefusals.saying(why.message());
  }

  private static Map<String, Object> measured(WriteFlow.Late why) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("kind", "node-bytes");
    measured.put("bytes_wanted", why.bytes());
    measured.put("bytes_under_way", why.underWay());
    measured.put("bytes_limit", why.limit());
    measured.put("pieces_waiting", why.waiting());
    return measured;
  }

  /** It, or a part of it, got no memory. */
  void memory(RequestLedger whose, MemoryRefusal why) {
    if (whose.number() == 0) {
      whose.numbered(recent.number());
    }
    String tenant = whose.tenant();
    recent.add(
        new Who(
            whose.number(),
            whose.opaqueId(),
            tenant == null ? RequestContext.DEFAULT_TENANT : tenant,
            whose.request()),
        new Refusal(By.MEMORY, null, why::message, () -> measured(why)));
  }

  private static Map<String, Object> measured(MemoryRefusal why) {
    Map<String, Object> measured = new LinkedHashMap<>();
    measured.put("item", Shown.word(why.item()));
    measured.put("bytes_wanted", why.wanted());
    measured.put("would_be", why.wouldBe());
    measured.put("limit", why.limit());
    measured.put("bound", why.bound());
    measured.put("bill", why.bill());
    measured.put("growth", why.growth());
    return measured;
  }
}
