package dev.weir.gateway;

import dev.weir.observe.Metrics;
import dev.weir.core.reduce.sample.SampleCounts;
import java.util.LinkedHashMap;
import java.util.Map;

/** What sampling saved, for operators. */
final class SamplingFigures {
  private SamplingFigures() {}

  static Map<String, Object> stats(SampleCounts counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("searches", counts.searches());
    shown.put("shards_asked", counts.shardsAsked());
    shown.put("shards_left_out", counts.shardsLeftOut());
    shown.put("refused", counts.refused());
    return shown;
  }

  static void bind(SampleCounts counts, Metrics metrics) {
    metrics
        .counter(
            "weir_sampled_searches",
            "Searches answered by estimates from a part of their shards",
            counts::searches)
        .counter("weir_sample_shards_asked", "Shards asked for estimates", counts::shardsAsked)
        .counter(
            "weir_sample_shards_left_out",
            "Shards not asked because their answers were estimated",
            counts::shardsLeftOut)
        .counter(
            "weir_sample_refused",
            "Searches that asked for an estimate and were refused",
            counts::refused);
  }
}
