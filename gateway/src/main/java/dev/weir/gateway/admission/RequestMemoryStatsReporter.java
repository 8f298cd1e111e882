package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.admission.memory.MemoryLimitScope;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestMemory.Category;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports the memory that requests hold, and the rejections: the section {@code request_memory} of
 * {@code /stats}, and its metrics.
 *
 * @param bodies the memory of request bodies
 * @param responses the memory of responses from nodes
 * @param estimator estimates the heap bytes of a parsed response
 */
public record RequestMemoryStatsReporter(
    GatewayMemory memory, MemoryPool bodies, MemoryPool responses, HeapBytesEstimator estimator)
    implements StatsReporter {
  private static final int MAX_REQUESTS = 10;
  private static final int MAX_SHAPES = 20;

  @Override
  public Map<String, Object> sections() {
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
    pools.put("bodies", pool(bodies));
    pools.put("responses", pool(responses));
    pools.put("work", pool(memory.reducePool()));
    shown.put("pools", pools);
    shown.put("largest_requests", largestRequests());
    Map<String, Object> rejections = new LinkedHashMap<>();
    for (MemoryLimitScope scope : MemoryLimitScope.values()) {
      rejections.put(DisplayFormat.toKebabCase(scope), memory.rejections(scope));
    }
    shown.put("rejections", rejections);
    shown.put("waiting_requests", memory.waitingRequests());
    shown.put("granted_waits", memory.grantedWaits());
    shown.put("recent_rejections", recentRejections());
    shown.put("expected_costs", expectedCosts());
    return Map.of("request_memory", shown);
  }

  private static Map<String, Object> pool(MemoryPool pool) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("held_bytes", pool.usedBytes());
    shown.put("peak_bytes", pool.peakBytes());
    shown.put("limit_bytes", pool.limitBytes());
    shown.put("rejections", pool.rejections());
    return shown;
  }

  private List<Object> largestRequests() {
    List<Object> rows = new ArrayList<>();
    for (GatewayMemory.RequestUsage one : memory.largestRequests(MAX_REQUESTS)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("request_line", one.request());
      row.put("bytes", one.usedBytes());
      row.put("peak_bytes", one.peakBytes());
      row.put("breakdown", one.bill());
      rows.add(row);
    }
    return rows;
  }

  private List<Object> recentRejections() {
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

  private List<Object> expectedCosts() {
    List<Object> rows = new ArrayList<>();
    for (HeapBytesEstimator.RatioEstimate one : estimator.estimates(MAX_SHAPES)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("shape", one.shape());
      row.put("heap_bytes_per_wire_byte", DisplayFormat.roundToThousandths(one.upperRatio()));
      row.put("mean_heap_bytes_per_wire_byte", DisplayFormat.roundToThousandths(one.meanRatio()));
      row.put("responses", one.samples());
      rows.add(row);
    }
    return rows;
  }

  @Override
  public void bind(MetricRegistry metrics) {
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
        .gauge(
            "weir_request_memory_waiting_requests",
            "Searches that wait for memory",
            memory::waitingRequests)
        .counter(
            "weir_request_memory_granted_waits",
            "Searches that found memory after a wait",
            memory::grantedWaits)
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
            new MetricTable<MemoryLimitScope>(
                () -> List.of(MemoryLimitScope.values()),
                scope -> Map.of("limit", DisplayFormat.toKebabCase(scope)),
                List.of(
                    Column.counter(
                        "weir_request_memory_rejections",
                        "Rejected allocations of requests, by the limit that they would exceed",
                        memory::rejections))));
  }
}
