package dev.weir.responses.sampling;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reports what sampling saved: the section {@code sampling} of {@code /stats}, and its metrics. */
public record SamplingStatsReporter(SampleCounts counts) implements StatsReporter {

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("searches", counts.searches());
    shown.put("queried_shards", counts.shardsQueried());
    shown.put("skipped_shards", counts.shardsSkipped());
    shown.put("rejections", counts.rejections());
    return Map.of("sampling", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
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
