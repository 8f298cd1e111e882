package dev.weir.core.actions.warmup;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the warm-up of copies: the section {@code warm_up} of {@code /stats}, and its metrics.
 */
public record WarmUpStatsReporter(WarmUpService service) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    WarmUpCounts counts = service.counts();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("remembered_searches", service.rememberedSearches());
    shown.put("remembered_bytes", service.rememberedBytes());
    shown.put("warming_copies", counts.warming());
    Map<String, Object> ended = new LinkedHashMap<>();
    for (WarmUpEnd reason : WarmUpEnd.values()) {
      ended.put(reason.label(), counts.ended(reason));
    }
    shown.put("warmed_copies", ended);
    shown.put("requests", counts.requests());
    shown.put("failures", counts.failures());
    return Map.of("warm_up", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    WarmUpCounts counts = service.counts();
    metrics
        .gauge("weir_warm_up_copies", "Copies of shards that are being warmed now", counts::warming)
        .gauge(
            "weir_warm_up_remembered_bytes",
            "Heap of the searches that the gateway remembers for new copies",
            service::rememberedBytes)
        .counter(
            "weir_warm_up_requests",
            "Recent searches that the gateway sent again to a new copy",
            counts::requests)
        .counter(
            "weir_warm_up_failures",
            "Recent searches sent again to a new copy that failed",
            counts::failures)
        .counter(
            "weir_warm_up_seconds",
            "Time that new copies took for searches sent again, in seconds",
            counts::seconds);
  }
}
