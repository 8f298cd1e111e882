package dev.weir.gateway;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.GatewayMemory.Bound;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.model.RequestMemory.Item;
import dev.weir.model.Shown;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows what requests hold of the gateway's memory, and which were refused more. */
final class RequestMemoryStats {
  private static final int MOST_REQUESTS = 10;
  private static final int MOST_SHAPES = 20;

  private RequestMemoryStats() {}

  /** The section of the statistics. */
  static Map<String, Object> of(Gateway gateway) {
    GatewayMemory memory = gateway.memory();
    RequestMemoryPolicy policy = memory.policy();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("enabled", policy.enabled());
    shown.put("max_bytes", policy.maxBytes().bytes());
    shown.put("share", policy.share());
    Map<String, Object> held = new LinkedHashMap<>();
    for (Item item : Item.values()) {
      held.put(Shown.word(item), memory.held(item));
    }
    shown.put("held", held);
    Map<String, Object> pools = new LinkedHashMap<>();
    pools.put("bodies", pool(gateway.bodies()));
    pools.put("answers", pool(gateway.commons().replies()));
    pools.put("work", pool(memory.work()));
    shown.put("pools", pools);
    shown.put("largest", largest(memory));
    Map<String, Object> refused = new LinkedHashMap<>();
    for (Bound bound : Bound.values()) {
      refused.put(Shown.word(bound), memory.refused(bound));
    }
    shown.put("refused", refused);
    shown.put("refusals", refusals(memory));
    shown.put("expected", expected(gateway.commons().costs()));
    return shown;
  }

  private static Map<String, Object> pool(MemoryLedger ledger) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("held", ledger.held());
    shown.put("peak", ledger.peak());
    shown.put("limit", ledger.limitBytes());
    shown.put("refused", ledger.refused());
    return shown;
  }

  private static List<Object> largest(GatewayMemory memory) {
    List<Object> rows = new ArrayList<>();
    for (GatewayMemory.Holding one : memory.largest(MOST_REQUESTS)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("request", one.request());
      row.put("bytes", one.bytes());
      row.put("peak_bytes", one.peakBytes());
      row.put("bill", one.bill());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> refusals(GatewayMemory memory) {
    List<Object> rows = new ArrayList<>();
    for (GatewayMemory.Refused one : memory.refusals()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("at", Instant.ofEpochMilli(one.atMillis()).toString());
      row.put("request", one.request());
      row.put("bound", Shown.word(one.bound()));
      row.put("item", Shown.word(one.why().item()));
      row.put("bytes_wanted", one.why().wanted());
      row.put("would_be", one.why().wouldBe());
      row.put("limit", one.why().limit());
      row.put("bill", one.why().bill());
      row.put("growth", one.why().growth());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> expected(CostEstimator costs) {
    List<Object> rows = new ArrayList<>();
    for (CostEstimator.Learned one : costs.learned(MOST_SHAPES)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("shape", one.shape());
      row.put("heap_bytes_a_wire_byte", Shown.rounded(one.expected()));
      row.put("mean", Shown.rounded(one.mean()));
      row.put("answers", one.answers());
      rows.add(row);
    }
    return rows;
  }

  /** The same as metrics. */
  static void bind(GatewayMemory memory, Metrics metrics) {
    metrics
        .gauge(
            "weir_work_bytes",
            "Bytes that answers as objects, and reductions, are paid for",
            () -> memory.work().held())
        .gauge(
            "weir_work_bytes_limit",
            "Bytes that answers as objects, and reductions, may take",
            () -> memory.work().limitBytes())
        .gauge(
            "weir_request_memory_max_bytes",
            "Bytes that one request may hold",
            () -> memory.policy().maxBytes().bytes())
        .table(
            new NodeTable<Item>(
                () -> List.of(Item.values()),
                item -> Map.of("item", Shown.word(item)),
                List.of(
                    Column.gauge(
                        "weir_request_memory_bytes",
                        "Bytes that requests hold, by what for",
                        memory::held))))
        .table(
            new NodeTable<Bound>(
                () -> List.of(Bound.values()),
                bound -> Map.of("bound", Shown.word(bound)),
                List.of(
                    Column.counter(
                        "weir_request_memory_refused",
                        "How often a request was refused memory, by what bounds it",
                        memory::refused))));
  }
}
