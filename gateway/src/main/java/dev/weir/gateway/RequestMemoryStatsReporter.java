package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.GatewayMemory.LimitScope;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestMemory.Category;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.PrometheusMetrics;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows what requests hold of the gateway's memory, and which were refused more. */
final class RequestMemoryStatsReporter {
  private static final int MOST_REQUESTS = 10;
  private static final int MOST_SHAPES = 20;

  private RequestMemoryStatsReporter() {}

  /** The section of the statistics. */
  static Map<String, Object> toMap(Gateway gateway) {
    GatewayMemory memory = gateway.requestMemory();
    RequestMemoryPolicy policy = memory.policy();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("enabled", policy.enabled());
    shown.put("max_bytes", policy.maxBytes().bytes());
    shown.put("share", policy.maxPoolRatio());
    Map<String, Object> held = new LinkedHashMap<>();
    for (Category item : Category.values()) {
      held.put(DisplayFormat.toKebabCase(item), memory.usedBytes(item));
    }
    shown.put("held_bytes", held);
    Map<String, Object> pools = new LinkedHashMap<>();
    pools.put("bodies", pool(gateway.bodyMemory()));
    pools.put("responses", pool(gateway.sharedServices().memory().responses()));
    pools.put("work", pool(memory.reducePool()));
    shown.put("pools", pools);
    shown.put("largest_requests", largestRequests(memory));
    Map<String, Object> refused = new LinkedHashMap<>();
    for (LimitScope bound : LimitScope.values()) {
      refused.put(DisplayFormat.toKebabCase(bound), memory.rejections(bound));
    }
    shown.put("rejections", refused);
    shown.put("recent_rejections", refusalList(memory));
    shown.put("expected_costs", expectedCosts(gateway.sharedServices().memory().estimator()));
    return shown;
  }

  private static Map<String, Object> pool(MemoryPool ledger) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("held_bytes", ledger.usedBytes());
    shown.put("peak_bytes", ledger.peakBytes());
    shown.put("limit_bytes", ledger.limitBytes());
    shown.put("rejections", ledger.rejections());
    return shown;
  }

  private static List<Object> largestRequests(GatewayMemory memory) {
    List<Object> rows = new ArrayList<>();
    for (GatewayMemory.RequestUsage one : memory.largestRequests(MOST_REQUESTS)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("request_line", one.request());
      row.put("bytes", one.usedBytes());
      row.put("peak_bytes", one.peakBytes());
      row.put("breakdown", one.bill());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> refusalList(GatewayMemory memory) {
    List<Object> rows = new ArrayList<>();
    for (GatewayMemory.RecordedRejection one : memory.recentRejections()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("at", Instant.ofEpochMilli(one.atMillis()).toString());
      row.put("request_line", one.request());
      row.put("limit", DisplayFormat.toKebabCase(one.scope()));
      row.put("item", DisplayFormat.toKebabCase(one.rejection().category()));
      row.put("requested_bytes", one.rejection().requestedBytes());
      row.put("total_bytes", one.rejection().resultingBytes());
      row.put("limit_bytes", one.rejection().limitBytes());
      row.put("breakdown", one.rejection().bill());
      row.put("largest_increases", one.rejection().growth());
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> expectedCosts(HeapBytesEstimator costs) {
    List<Object> rows = new ArrayList<>();
    for (HeapBytesEstimator.RatioEstimate one : costs.estimates(MOST_SHAPES)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("shape", one.shape());
      row.put("heap_bytes_per_wire_byte", DisplayFormat.roundToThousandths(one.upperRatio()));
      row.put("mean_heap_bytes_per_wire_byte", DisplayFormat.roundToThousandths(one.meanRatio()));
      row.put("responses", one.samples());
      rows.add(row);
    }
    return rows;
  }

  /** The same as metrics. */
  static void bind(GatewayMemory memory, PrometheusMetrics metrics) {
    metrics
        .gauge(
            "weir_work_memory_bytes",
            "Bytes of decoded responses and reductions",
            () -> memory.reducePool().usedBytes())
        .gauge(
            "weir_work_memory_limit_bytes",
            "Limit of the bytes of decoded responses and reductions",
            () -> memory.reducePool().limitBytes())
        .gauge(
            "weir_request_memory_limit_bytes",
            "Limit of the bytes that one request may hold",
            () -> memory.policy().maxBytes().bytes())
        .table(
            new MetricTable<Category>(
                () -> List.of(Category.values()),
                item -> Map.of("item", DisplayFormat.toKebabCase(item)),
                List.of(
                    Column.gauge(
                        "weir_request_memory_bytes",
                        "Bytes that requests hold, by use",
                        memory::usedBytes))))
        .table(
            new MetricTable<LimitScope>(
                () -> List.of(LimitScope.values()),
                bound -> Map.of("limit", DisplayFormat.toKebabCase(bound)),
                List.of(
                    Column.counter(
                        "weir_request_memory_rejections",
                        "Rejected allocations of requests, by the limit that they would exceed",
                        memory::rejections))));
  }
}
