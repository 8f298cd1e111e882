package dev.weir.gateway;

import dev.weir.observe.PrometheusMetrics;
import dev.weir.responses.sampling.SampleCounts;
import java.util.LinkedHashMap;
import java.util.Map;

/** What sampling saved, for operators. */
final class SamplingStatsReporter {
  private SamplingStatsReporter() {}

  static Map<String, Object> toMap(SampleCounts counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("searches", counts.searches());
    shown.put("queried_shards", counts.shardsQueried());
    shown.put("skipped_shards", counts.shardsSkipped());
    shown.put("rejections", counts.rejections());
    return shown;
  }

  static void bind(SampleCounts counts, PrometheusMetrics metrics) {
    metrics
        .counter(
            "weir_sampling_searches",
            "Searches answered with estimates from a sample of their shards",
            counts::searches)
        .counter(
            "weir_sampling_queried_shards", "Shards queried for estimates", counts::shardsQueried)
        .counter(
            "weir_sampling_skipped_shards",
            "Shards not queried because the sample stands for them",
            counts::shardsSkipped)
        .counter(
            "weir_sampling_rejections",
            "Searches that asked for an estimate and were rejected",
            counts::rejections);
  }
}
