package dev.weir.gateway;

import dev.weir.core.reduce.sample.SampleCounts;
import dev.weir.observe.PrometheusMetrics;
import java.util.LinkedHashMap;
import java.util.Map;

/** What sampling saved, for operators. */
final class SamplingStatsReporter {
  private SamplingStatsReporter() {}

  static Map<String, Object> toMap(SampleCounts counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("searches", counts.searches());
    shown.put("shards_asked", counts.shardsQueried());
    shown.put("shards_left_out", counts.shardsSkipped());
    shown.put("refused", counts.rejections());
    return shown;
  }

  static void bind(SampleCounts counts, PrometheusMetrics metrics) {
    metrics
        .counter(
            "weir_sampled_searches",
            "Searches answered by estimates from a part of their shards",
            counts::searches)
        .counter("weir_sample_shards_asked", "Shards asked for estimates", counts::shardsQueried)
        .counter(
            "weir_sample_shards_left_out",
            "Shards not asked because their answers were estimated",
            counts::shardsSkipped)
        .counter(
            "weir_sample_refused",
            "Searches that asked for an estimate and were refused",
            counts::rejections);
  }
}
